import { Database } from '#libs/database';
import { libraryMigrations, openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import type { EventDefinitions, EventsOf, RecordedEvent } from '../event-store/event.js';
import { column, optional } from './columns.js';
import { fingerprintProjection } from './projection-fingerprint.js';
import type { Projection } from './projection.js';
import { streamProjection } from './stream-projection.js';

const COLOURS = ['red', 'green', 'blue'] as const;
const lampEvents = {
  'lamp-hung': { schemaVersion: 1, data: { room: 'int64', 'note?': 'text', colour: COLOURS }, published: false },
  'lamp-dimmed': { schemaVersion: 1, data: { watts: 'number' }, published: false },
} as const satisfies EventDefinitions;

type LampEvent = RecordedEvent<EventsOf<typeof lampEvents>>;
interface Lamp {
  readonly room: bigint;
  readonly note?: string | undefined;
  readonly watts: number;
}

const columns = { room: column.int64(), note: optional(column.text()), watts: column.integer() };
const indexes = [['room', 'id']] as const;

function evolve(lamp: Lamp | undefined, event: LampEvent): Lamp | undefined {
  if (event.type === 'lamp-hung') return { room: BigInt(event.data.room), note: event.data.note, watts: 60 };
  return lamp && { ...lamp, watts: event.data.watts };
}

const lamps = (rules = evolve) => streamProjection({ name: 'lamps', version: 1, events: lampEvents, columns, indexes, evolve: rules });

describe('the fingerprint of a projection', () => {
  let tested: TestedModule;
  beforeAll(async () => {
    tested = await openTestedModule([], new SettableClock(), { events: [], projections: [], migrations: libraryMigrations });
  });
  afterAll(() => tested.close());

  const fingerprint = (projection: Projection, types: readonly string[] = projection.eventTypes) =>
    fingerprintProjection(tested.application.get(Database), projection, { definitions: lampEvents, types });

  it.each<readonly [rule: string, changed: (lamp: Lamp, event: LampEvent, before: Lamp | undefined) => Lamp | undefined]>([
    ['the third word of a list', (lamp, { data }) => ('colour' in data && data.colour === 'blue' ? undefined : lamp)],
    ['an absent member', (lamp, event) => (event.type === 'lamp-hung' ? { ...lamp, note: lamp.note ?? '' } : lamp)],
    ['the second event', (lamp, { type }, before) => (type === 'lamp-dimmed' && before?.watts === 60 ? undefined : lamp)],
    ['a number above 2^53', (lamp) => ({ ...lamp, room: BigInt(Number(lamp.room)) })],
    ['when an event was recorded', (lamp, { recordedAt }) => ({ ...lamp, watts: recordedAt.getTime() })],
  ])('differs by a rule for %s', async (_rule, changed) => {
    const rules = (before: Lamp | undefined, event: LampEvent) => {
      const lamp = evolve(before, event);
      return lamp && changed(lamp, event, before);
    };
    expect(await fingerprint(lamps(rules))).not.toBe(await fingerprint(lamps()));
  });

  it('differs by a column, its kind, whether it may be empty, and an index', async () => {
    const declared = { name: 'lamps', version: 1, events: lampEvents, columns, indexes, evolve };
    const withWatts = (lamp: Partial<Lamp> | undefined, event: LampEvent) => evolve(lamp && { room: 0n, watts: 0, ...lamp }, event);
    const all = await Promise.all([
      fingerprint(lamps()),
      fingerprint(streamProjection({ ...declared, columns: { ...columns, lit: optional(column.integer()) } })),
      fingerprint(streamProjection({ ...declared, columns: { ...columns, watts: optional(column.integer()) }, evolve: withWatts })),
      fingerprint(streamProjection({ ...declared, indexes: [] })),
    ]);
    expect(new Set(all).size).toBe(all.length);
  });
});
