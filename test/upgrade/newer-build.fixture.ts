import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SystemClock } from '#libs/observability';
import { parseDatabaseUrl } from '#libs/database';
import { EventStore, type DomainEvent, type EventDefinition } from '#libs/event-sourcing';
import { libraryModules } from '#libs/testing';
import { composition } from '../../src/bootstrap/composition.js';

/** Event types, and schema versions of known types, that this build does not know. */
const definitions: readonly EventDefinition[] = [
  { type: 'shelter-opened', schemaVersion: 1 },
  { type: 'pet-registered', schemaVersion: 1 },
  { type: 'pet-vaccinated', schemaVersion: 1 },
  { type: 'pet-added', schemaVersion: 2, upcasters: { 1: (data: object) => data } },
  { type: 'api-key-issued', schemaVersion: 2, upcasters: { 1: (data: object) => data } },
  { type: 'api-key-sealed', schemaVersion: 1 },
];

/** The log as an instance of a newer build writes it. */
export interface NewerBuild {
  /** Appends to a new stream of the category. Returns its name. */
  append(category: string, ...events: readonly DomainEvent[]): Promise<string>;
  close(): Promise<void>;
}

export async function openNewerBuild(url: string): Promise<NewerBuild> {
  const context = await NestFactory.createApplicationContext(NewerBuildModule.on(url), { logger: false, abortOnError: false });
  return {
    async append(category, ...events) {
      const appended = await context
        .get(EventStore)
        .append([{ stream: { newIn: category }, expectedVersion: 'noStream', events }], { metadata: { actor: 'system' } });
      return appended.events[0]?.stream ?? '';
    },
    close: () => context.close(),
  };
}

@Module({})
class NewerBuildModule {
  static on(url: string): DynamicModule {
    const composed = { events: definitions, projections: [], migrations: composition().migrations };
    return { module: NewerBuildModule, imports: libraryModules(parseDatabaseUrl(url), new SystemClock(), composed) };
  }
}
