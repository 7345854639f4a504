import { Database } from '#libs/database';
import { column, optional, streamProjection, type EventDefinitions } from '#libs/event-sourcing';
import { libraryMigrations, openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { renderProjectionFingerprints } from './projection-fingerprints.js';

const hung = { 'lamp-hung': { schemaVersion: 1, data: { note: 'text' }, published: false } } as const satisfies EventDefinitions;
const broken = { 'lamp-broken': { schemaVersion: 1, data: { note: 'text' }, published: false } } as const satisfies EventDefinitions;
const columns = { note: column.text(), other: optional(column.text()) };

interface Change {
  readonly version?: number;
  readonly events?: EventDefinitions;
  readonly note?: string;
}

/** A module whose rows have the note of their last event, or `note`. */
function moduleWith(events: EventDefinitions, { version = 1, events: handled = events, note }: Change = {}) {
  const evolve = (_row: unknown, { data }: { readonly data: object }) => ({ note: note ?? String(Reflect.get(data, 'note')) });
  return { events, projections: [streamProjection({ name: 'lamps', version, events: handled, columns, evolve })] };
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

  it('has all event types, and the version and fingerprint of each projection', async () => {
    expect(JSON.parse(await render(moduleWith({ ...hung, ...broken })))).toEqual({
      eventTypes: ['lamp-broken', 'lamp-hung'],
      projections: { lamps: { version: 1, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) } },
    });
  });

  it('is not made of other rules under the same version, and says where that is', async () => {
    const recorded = await render(moduleWith(hung));
    await expect(render(moduleWith(hung, { note: 'none' }), recorded)).rejects.toThrow(
      'of the projection lamps have changed but it is still version 1: raise `version` in src/lamps/read-model/lamps.projection.ts',
    );
    expect(await render(moduleWith(hung, { note: 'none', version: 2 }), recorded)).toContain('"version":2');
  });

  it('is not made of a lower version', async () => {
    const recorded = await render(moduleWith(hung, { version: 2 }));
    await expect(render(moduleWith(hung, { note: 'none' }), recorded)).rejects.toThrow('lamps is version 1 but was version 2');
  });

  it('takes an event type that is new, and then none of other rules for it', async () => {
    const recorded = await render(moduleWith({ ...hung, ...broken }), await render(moduleWith(hung)));
    expect(recorded).toContain('lamp-broken');
    await expect(render(moduleWith({ ...hung, ...broken }, { note: 'none' }), recorded)).rejects.toThrow('raise `version`');
  });

  it('takes no event type that was there before', async () => {
    const recorded = await render(moduleWith({ ...hung, ...broken }, { events: hung }));
    await expect(render(moduleWith({ ...hung, ...broken }), recorded)).rejects.toThrow('raise `version`');
  });
});
