import 'reflect-metadata';
import { Module, type DynamicModule, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Clock, MetricsRegistry } from '#libs/observability';
import { Database, identifier, insertRows, sql, type DatabaseLocation } from '#libs/database';
import {
  ConcurrencyError,
  EventStore,
  type DomainEvent,
  type RecordedEvent,
  TimeoutCatalog,
  TimeoutSchedule,
  type TimeoutSource,
  ProjectionRebuilder,
  projectionTableName,
  type Projection,
} from '#libs/event-sourcing';
import { libraryMigrations, libraryModules } from '#libs/testing';

type TimerSet = DomainEvent<'timer-set', { readonly at: number }>;
type TimerFired = DomainEvent<'timer-fired', Record<string, never>>;

const metadata = { actor: 'system' };

/** The due-date table: one row for each timer that has not fired. */
const timersProjection: Projection<TimerSet | TimerFired> = {
  name: 'timers',
  version: 1,
  eventTypes: ['timer-set', 'timer-fired'],
  tables: [{ name: 'timers', columns: { id: { type: 'int64' }, at: { type: 'int64' } }, primaryKey: ['id'], indexes: [['at']] }],
  async project(events, target) {
    const table = target.table('timers');
    for (const event of events) {
      if (event.type === 'timer-fired') await target.query(sql`DELETE FROM ${table} WHERE "id" = ${idOf(event)}`);
      else insertRows(target, { table, columns: ['id', 'at'], rows: [[idOf(event), event.data.at]] });
    }
  },
};

/** The table as it stands in the database. */
export const TIMERS_TABLE = projectionTableName(timersProjection, 'timers');

/** One instance with a module of which timers are all. */
export interface TimersUnderTest {
  readonly schedule: TimeoutSchedule;
  readonly database: Database;
  readonly rebuilder: ProjectionRebuilder;
  /** Sets a timer for each of the times, with ids from 1 upwards. */
  set(...times: readonly Date[]): Promise<bigint[]>;
  /** The timers that have fired, in the order of the log, once for each event. */
  fired(): Promise<bigint[]>;
  /** How late the oldest timer is by the metric. */
  lateness(): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface TimersOptions {
  readonly clock: Clock;
  readonly logger: LoggerService;
  /** Comes before each command that a timeout issues. */
  readonly beforeFiring: (id: bigint) => Promise<void>;
}

/** Opens an instance. Several on one location behave like several processes. */
export async function openTimers(location: DatabaseLocation, { clock, logger, beforeFiring }: TimersOptions): Promise<TimersUnderTest> {
  const context = await NestFactory.createApplicationContext(TimersModule.forTest(location, clock), { logger, abortOnError: false });
  const [store, database, registry] = [context.get(EventStore), context.get(Database), context.get(MetricsRegistry)];
  context.get(TimeoutCatalog).register(timerSource(store, database, beforeFiring));
  return {
    schedule: context.get(TimeoutSchedule),
    database,
    rebuilder: context.get(ProjectionRebuilder),
    async set(...times) {
      const results = await Promise.all(times.map((at) => store.append([newTimer(at)], { metadata })));
      return results.flatMap(({ events }) => events.map(idOf));
    },
    fired: async () => (await store.readAll({ limit: 100_000, types: ['timer-fired'] })).map(idOf),
    async lateness() {
      const { values = [] } = (await registry.getSingleMetric('oldest_due_timeout_seconds')?.get()) ?? {};
      return values[0]?.value;
    },
    close: () => context.close(),
  };
}

function newTimer(at: Date) {
  const event: TimerSet = { type: 'timer-set', data: { at: at.getTime() } };
  return { stream: { newIn: 'timer' }, expectedVersion: 'noStream' as const, events: [event] };
}

function timerSource(store: EventStore, { reader }: Database, beforeFiring: TimersOptions['beforeFiring']): TimeoutSource {
  const table = identifier(TIMERS_TABLE);
  return {
    name: 'timers',
    async due(now, limit) {
      const rows = await reader.query<{ id: bigint | string }>(
        sql`SELECT "id" FROM ${table} WHERE "at" <= ${now.getTime()} ORDER BY "at", "id" LIMIT ${limit}`,
      );
      return rows.map(({ id }) => BigInt(id));
    },
    async oldestDue() {
      const [row] = await reader.query<{ at: bigint | string | null }>(sql`SELECT min("at") AS "at" FROM ${table}`);
      return row?.at ? new Date(Number(row.at)) : undefined;
    },
    async fire(id) {
      await beforeFiring(id);
      const event: TimerFired = { type: 'timer-fired', data: {} };
      await store.append([{ stream: `timer-${id}`, expectedVersion: 1, events: [event] }], { metadata }).catch((error: unknown) => {
        if (!(error instanceof ConcurrencyError)) throw error;
      });
    },
  };
}

function idOf({ stream }: Pick<RecordedEvent, 'stream'>): bigint {
  return BigInt(stream.slice('timer-'.length));
}

@Module({})
class TimersModule {
  static forTest(location: DatabaseLocation, clock: Clock): DynamicModule {
    const events = ['timer-set', 'timer-fired'].map((type) => ({ type, schemaVersion: 1 }));
    const composed = { events, projections: [timersProjection as Projection], migrations: libraryMigrations };
    return { module: TimersModule, imports: libraryModules(location, clock, composed) };
  }
}
