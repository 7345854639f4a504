import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes, Database, optional } from '#libs/database';
import { streamProjection, type EventDefinitions } from '#libs/event-sourcing';
import { libraryMigrations, openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { renderProjectionFingerprints } from './projection-fingerprints.js';

const hung = { 'lamp-hung': { schemaVersion: 1, data: { note: 'text' }, published: false } } as const satisfies EventDefinitions;
const broken = { 'lamp-broken': { schemaVersion: 1, data: { note: 'text' }, published: false } } as const satisfies EventDefinitions;

@Entity('lamps')
class LampRow {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.text) readonly note!: string;
  @Column(optional(columnTypes.text)) readonly other?: string;
  @Column(columnTypes.integer) readonly version!: number;
}

interface Change {
  readonly version?: number;
  readonly events?: EventDefinitions;
  readonly note?: string;
}

/** A module whose rows have the note of their last event, or `note`. */
function moduleWith(events: EventDefinitions, { version = 1, events: handled = events, note }: Change = {}) {
  const evolve = (_row: unknown, { data }: { readonly data: object }) => ({ note: note ?? String(Reflect.get(data, 'note')) });
  return { events, projections: [streamProjection({ entity: LampRow, version, events: handled, evolve })] };
}

const SOURCES = new Map([
  ['src/rooms/read-model/rooms.projection.ts', "name: 'rooms',\n  version: 1,"],
  ['src/lamps/read-model/lamps.projection.ts', "name: 'lamps',\n  version: 1,"],
]);

describe('the document of the versions of projections', () => {
  let tested: TestedModule;
  beforeAll(async () => {
    tested = await openTestedModule([], new SettableClock(), { events: [], projections: [], migrations: libraryMigrations });
  });
  afterAll(() => tested.close());

  const render = (module: ReturnType<typeof moduleWith>, recorded?: string) =>
    renderProjectionFingerprints([module], { database: tested.application.get(Database), recorded, sources: SOURCES });

  it('has all event types, and is not made of other rules under the same version', async () => {
    const recorded = await render(moduleWith({ ...hung, ...broken }));
    const lamps = { version: 1, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string };
    expect(JSON.parse(recorded)).toEqual({ eventTypes: ['lamp-broken', 'lamp-hung'], projections: { lamps } });
    await expect(render(moduleWith({ ...hung, ...broken }, { note: 'none' }), recorded)).rejects.toThrow(
      'it is still version 1: raise `version` in src/lamps/read-model/lamps.projection.ts',
    );
    expect(await render(moduleWith({ ...hung, ...broken }, { note: 'none', version: 2 }), recorded)).toContain('"version":2');
  });
});
