import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, entityTable, insertRows, sql } from '#libs/database';
import {
  ConcurrencyError,
  type AppendResult,
  type DomainEvent,
  type EventDefinition,
  type EventMetadata,
  type EventStore,
  type Projection,
} from '#libs/event-sourcing';

/** An amount that makes the projection throw. */
export const POISON = 666;

export const eventDefinitions: readonly EventDefinition[] = [
  { type: 'counted', schemaVersion: 1 },
  {
    type: 'noted',
    schemaVersion: 3,
    upcasters: {
      1: ({ note }: { note: string }) => ({ text: note }),
      2: (data: { text: string }) => ({ ...data, language: 'en' }),
    },
    secrets: ['language'],
  },
];

export type Counted = DomainEvent<'counted', { readonly by: number }>;

export function counted(by: number): Counted {
  return { type: 'counted', data: { by } };
}

/** Appends at the end of a stream, whoever else appends to it, and however long that takes. */
export async function appendAtEnd(
  store: EventStore,
  stream: string,
  events: readonly DomainEvent[],
  metadata: EventMetadata,
): Promise<AppendResult> {
  for (;;) {
    const [newest] = await store.readAll({ streams: [stream], newestFirst: true, limit: 1 });
    try {
      return await store.append([{ stream, expectedVersion: newest?.version ?? 0, events }], { metadata });
    } catch (error) {
      if (!(error instanceof ConcurrencyError)) throw error;
    }
  }
}

/** What was counted in a stream. */
@Entity('sums')
export class Sum {
  @PrimaryColumn(columnTypes.text) readonly stream!: string;
  @Index()
  @Column(columnTypes.int64)
  readonly total!: bigint;
}

/** A projection with nothing of the domain in it: one row a stream with the sum of what was counted. */
export const sumsProjection: Projection = {
  name: 'sums',
  version: 1,
  eventTypes: ['counted'],
  tables: [entityTable(Sum)],
  async project(events, target) {
    const table = target.table('sums');
    const sums = new Map<string, number>();
    for (const { stream, data } of events) {
      const { by } = data as { by: number };
      if (by === POISON) throw new Error('this amount cannot be projected');
      sums.set(stream, (sums.get(stream) ?? 0) + by);
    }
    const suffix = sql`ON CONFLICT ("stream") DO UPDATE SET "total" = ${table}."total" + excluded."total"`;
    insertRows(target, { table, columns: ['stream', 'total'], rows: [...sums], suffix });
  },
};
