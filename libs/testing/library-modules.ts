import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ModuleMetadata } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Test, type TestingModule } from '@nestjs/testing';
import { ClockModule, type Clock, MonitoringModule } from '#libs/observability';
import { DatabaseModule, parseDatabaseUrl, type DatabaseLocation } from '#libs/database';
import { composeModules, type ComposedModules } from '#libs/http';
import { EventSourcingModule, listTableNames } from '#libs/event-sourcing';

/** The migrations of the libraries, oldest first. */
export const libraryMigrations = composeModules([]).migrations;

/** How long tests wait for a database: their machine may stand still for seconds, which is not what they are about. */
export const PATIENT_MILLISECONDS = 15_000;
const PATIENT = { timeout: PATIENT_MILLISECONDS };

/**
 * The libraries that a domain module stands on, on a database of the test's own: what to import beside its Nest module.
 * @param location waits are patient, unless it says how long
 * @param composed what the modules under test bring
 * @param polls whether timeouts fire and followers are called by themselves; else `TimeoutSchedule.run` and `FollowerProcess.run` do it
 */
export function libraryModules(
  location: DatabaseLocation,
  clock: Clock,
  { events, projections, migrations }: Pick<ComposedModules, 'events' | 'projections' | 'migrations'>,
  polls = false,
): NonNullable<ModuleMetadata['imports']> {
  return [
    ClockModule.forRoot({ useValue: clock }),
    MonitoringModule.forRoot(),
    CqrsModule.forRoot(),
    DatabaseModule.forRoot({
      location: { ...PATIENT, ...location },
      purpose: 'service',
      migrations,
      tableNames: listTableNames(projections),
    }),
    EventSourcingModule.forRoot({ events, projections, polls }),
  ];
}

export interface TestedModule {
  readonly application: TestingModule;
  /** Starts another application on the same database, with other modules under test if they are given. */
  openAnother(imports?: NonNullable<ModuleMetadata['imports']>): Promise<TestingModule>;
  /** Closes all of them and removes the database. */
  close(): Promise<void>;
}

/** Starts a domain module with the libraries, on a new SQLite database. */
export async function openTestedModule(
  imports: NonNullable<ModuleMetadata['imports']>,
  clock: Clock,
  composed: Parameters<typeof libraryModules>[2],
): Promise<TestedModule> {
  const directory = await mkdtemp(join(tmpdir(), 'tested-module-'));
  const location = parseDatabaseUrl(`sqlite:${join(directory, 'test.sqlite')}`);
  const opened: TestingModule[] = [];
  const openAnother = async (others = imports) => {
    const builder = Test.createTestingModule({ imports: [...libraryModules(location, clock, composed), ...others] });
    const application = await (await builder.compile()).init();
    opened.push(application);
    return application;
  };
  return {
    application: await openAnother(),
    openAnother,
    async close() {
      for (const application of opened) await application.close();
      await rm(directory, { recursive: true });
    },
  };
}
