import fc from 'fast-check';
import { listEventDefinitions, type EventDefinitions, type EventsOf, type RecordedEvent } from '../event-store/event.js';
import { EventStore } from '../event-store/event-store.js';
import { ProjectionVerification } from './projection-verification.js';
import { Database } from '#libs/database';
import { libraryMigrations, openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { column, named, optional } from './columns.js';
import { ReadModels } from './live-projections.js';
import { RowReader } from './row-reader.js';
import { streamProjection, type RowOf } from './stream-projection.js';

const lampEvents = {
  'lamp-hung': { schemaVersion: 1, data: { room: 'int64', 'note?': 'text' }, published: false },
  'lamp-moved': { schemaVersion: 1, data: { room: 'int64' }, published: false },
  'lamp-switched': { schemaVersion: 1, data: { tags: 'text[]' }, published: false },
  'lamp-noted': { schemaVersion: 1, data: { 'note?': 'text' }, published: false },
  'lamp-removed': { schemaVersion: 1, data: {}, published: false },
} as const satisfies EventDefinitions;

type LampEvent = EventsOf<typeof lampEvents>;

interface NewLamp {
  readonly room: bigint;
  readonly note?: string | undefined;
  readonly hungAt: Date;
  readonly isOn: boolean;
  readonly switches: number;
  readonly tags: readonly string[];
}

/** A member of each kind. */
const lamps = streamProjection({
  name: 'hung-lamps',
  version: 1,
  events: lampEvents,
  columns: {
    room: named('room_id', column.int64()),
    note: optional(column.text()),
    hungAt: column.time(),
    isOn: column.boolean(),
    switches: column.integer(),
    tags: column.json<readonly string[]>(),
  },
  indexes: [['room', 'id']],
  evolve,
});

type Lamp = RowOf<typeof lamps>;

function evolve(lamp: NewLamp | undefined, event: RecordedEvent<LampEvent>): NewLamp | undefined {
  switch (event.type) {
    case 'lamp-hung':
      return { room: BigInt(event.data.room), note: event.data.note, hungAt: event.recordedAt, isOn: false, switches: 0, tags: [] };
    case 'lamp-moved':
      return lamp && { ...lamp, room: BigInt(event.data.room) };
    case 'lamp-switched':
      return lamp && { ...lamp, isOn: !lamp.isOn, switches: lamp.switches + 1, tags: event.data.tags };
    case 'lamp-noted':
      return lamp && { ...lamp, note: event.data.note };
    case 'lamp-removed':
      return undefined;
  }
}

const room = fc.constantFrom('-9223372036854775808', '0', '9223372036854775807');
const note = fc.option(fc.string({ minLength: 1, unit: 'grapheme' }), { nil: undefined, freq: 2 });
const noted = note.map((text) => (text === undefined ? {} : { note: text }));
const hung = fc.tuple(room, noted).map(([id, data]): LampEvent => ({ type: 'lamp-hung', data: { room: id, ...data } }));
const change = fc.oneof<fc.Arbitrary<LampEvent>[]>(
  room.map((id) => ({ type: 'lamp-moved', data: { room: id } })),
  fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 2 }).map((tags) => ({ type: 'lamp-switched', data: { tags } })),
  noted.map((data) => ({ type: 'lamp-noted', data })),
  fc.constant({ type: 'lamp-removed', data: {} }),
);
/** The events of a stream in batches that are appended one after another. */
const history = fc.tuple(hung, fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { maxLength: 5, size: 'max' }));

describe('a projection with one row for each stream', () => {
  let tested: TestedModule;
  let store: EventStore;
  let reader: RowReader<Lamp>;

  beforeEach(async () => {
    const events = listEventDefinitions(lampEvents);
    tested = await openTestedModule([], new SettableClock(), { events, projections: [lamps], migrations: libraryMigrations });
    const { application } = tested;
    store = application.get(EventStore);
    reader = new RowReader(lamps, application.get(Database), application.get(ReadModels));
  });
  afterEach(() => tested.close());

  it('holds the fold of each stream, however its events come in batches, and the same as a replay', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 3 }), async (histories) => {
        for (const [first, batches] of histories) {
          const stream = await append('new', [first]);
          for (const batch of batches) await append(stream, batch);
          const id = BigInt(stream.slice('lamp-'.length));
          const events = (await store.readStream(stream)) as RecordedEvent<LampEvent>[];
          const lamp = events.reduce<NewLamp | undefined>(evolve, undefined);
          expect(await reader.find(id)).toEqual(lamp && { ...lamp, id, version: events.length });
        }
        expect(await tested.application.get(ProjectionVerification).verify()).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('is read by pages, filters and counts, also for each value of a member', async () => {
    for (const id of ['1', '2', '1', '1', '2']) await append('new', [{ type: 'lamp-hung', data: { room: id } }]);
    const ids = (rows: readonly Lamp[]) => rows.map(({ id }) => Number(id));
    const first = await reader.page({ limit: 2, room: 1n });
    expect([ids(first.items), first.next]).toEqual([[1, 3], 3n]);
    const second = await reader.page({ limit: 2, after: first.next, room: 1n });
    expect([ids(second.items), second.next]).toEqual([[4], undefined]);
    expect(ids(await reader.firstOfEach('room', [1n, 2n], { limit: 1 }))).toEqual([1, 2]);
    expect(ids(await reader.firstOfEach('room', [1n, 2n], { limit: 5, after: 2n }))).toEqual([3, 4, 5]);
    expect(await reader.count({ room: 2n, isOn: false })).toBe(2);
    expect(await reader.count({ room: undefined })).toBe(5);
    expect(ids(await reader.findAll([5n, 6n]))).toEqual([5]);
  });

  async function append(stream: string, events: readonly LampEvent[]): Promise<string> {
    const to = stream === 'new' ? { newIn: 'lamp' } : stream;
    const { events: recorded } = await store.append([{ stream: to, expectedVersion: 'any', events }], { metadata: { actor: 'cli' } });
    return recorded[0]?.stream ?? '';
  }
});
