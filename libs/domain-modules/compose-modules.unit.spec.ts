import fc from 'fast-check';
import { ForwardMigration } from '#libs/database';
import { errorTable } from '#libs/errors';
import type { PublishedForm } from '#libs/event-store';
import type { Projection } from '#libs/projections';
import type { PublicResource } from '#libs/public-events';
import { composeModules } from './compose-modules.js';
import type { DomainModule } from './domain-module.js';

type Contribution = Omit<DomainModule, 'name'>;

/** What brings a thing of a name, by the kind of the thing as messages call it. */
const KINDS: readonly (readonly [kind: string, bring: (name: string) => Contribution])[] = [
  ['event type', (name) => ({ events: { [name]: { schemaVersion: 1, data: {}, published: false } } })],
  ['published category', (name) => ({ publishes: [publicResource(name, `those of ${name}`)] })],
  ['collection', (name) => ({ publishes: [publicResource(`category of ${name}`, name)] })],
  ['projection', (name) => ({ projections: [projection(name)] })],
  ['migration', (name) => ({ migrations: [migration(name)] })],
  ['table', (name) => ({ tables: [name] })],
  ['table', (name) => ({ projections: [projection(`projection of ${name}`, name)] })],
  ['scope', (name) => ({ scopes: { [name]: { description: 'REST' } } })],
  ['error code', (name) => ({ errors: { [name]: { code: name, status: 409, description: 'It is there.' } } })],
];

const name = fc
  .stringMatching(/^[a-z]{1,8}(-[a-z]{1,8}){0,2}$/)
  .filter((text) => !(text in errorTable || text === 'events' || text === 'help'));
const kind = fc.constantFrom(...KINDS);

function projection(projectionName: string, ...tables: readonly string[]): Projection {
  const table = (tableName: string) => ({ name: tableName, columns: { id: { type: 'int64' as const } }, primaryKey: ['id'] });
  return { name: projectionName, version: 1, eventTypes: [], tables: tables.map(table), project: () => Promise.resolve() };
}

function publicResource(category: string, collection = category): PublicResource {
  return { category, collection, schema: { $ref: '#/components/schemas/Lamp' }, example: () => ({ id: 1 }), shownAfterEach: () => [] };
}

function migration(migrationName: string) {
  class Named extends ForwardMigration {
    async up(): Promise<void> {
      // Only its name is looked at.
    }
  }
  return Object.defineProperty(Named, 'name', { value: migrationName });
}

describe('modules that are put together', () => {
  it('bring all that each of them brings', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 6 }), kind, (names, [, bring]) => {
        const composed = composeModules(names.map((each) => ({ name: each, ...bring(each) })));
        const brought = Object.values(composed).flatMap((things: readonly object[] | ReadonlyMap<string, object>) => [...things]);
        const unnamed = 'tables' in bring('');
        expect(brought.length).toBe(composeModules([]).migrations.length + (unnamed ? 0 : names.length));
      }),
    );
  });

  it('are refused when two bring the same, with the thing and both modules', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 3, maxLength: 3 }), kind, ([one = '', other = '', thing = ''], [what, bring]) => {
        const modules = [one, other].map((each) => ({ name: each, ...bring(thing) }));
        expect(() => composeModules(modules)).toThrow(
          `The ${what} ${thing} is brought by ${one} and by ${other}: each needs a name of its own.`,
        );
      }),
    );
  });

  it('are refused when they have the same name', () => {
    expect(() => composeModules([{ name: 'lamps' }, { name: 'lamps' }])).toThrow('The module lamps is brought by lamps and by lamps');
  });

  it('may give their things names that only differ in kind', () => {
    fc.assert(
      fc.property(name, (thing) => {
        const kinds = KINDS.filter(([what], index) => KINDS.findIndex(([each]) => each === what) === index);
        expect(() => composeModules(kinds.map(([, bring], index) => ({ name: `module-${index}`, ...bring(thing) })))).not.toThrow();
      }),
    );
  });

  it('are refused for one table of a projection and a plain one', () => {
    expect(() =>
      composeModules([
        { name: 'one', tables: ['lamps'] },
        { name: 'other', projections: [projection('rooms', 'lamps')] },
      ]),
    ).toThrow('The table lamps is brought by one');
  });

  it.each([
    ['error code', { errors: { not_found: { code: 'not_found', status: 404, description: 'It is not there.' } } }, 'the error table'],
    ['table', { tables: ['events'] }, 'the event store'],
    ['table', { projections: [projection('checkpoints', 'projection_checkpoints')] }, 'the projections'],
    ['table', { tables: ['process_leases'] }, 'the processes'],
    ['table', { tables: ['migrations'] }, 'the database'],
  ])('are refused for the %s of a library: %j', (what, contribution: Contribution, owner) => {
    expect(() => composeModules([{ name: 'lamps', ...contribution }])).toThrow(
      new RegExp(`^The ${what} \\S+ is brought by ${owner} and by lamps`),
    );
  });

  it('are refused when a scope includes one that none of them brings, with both scopes and the module', () => {
    const all = { name: 'lamps', scopes: { 'lamps:all': { description: 'REST', includes: ['lamps', 'rooms'] } } };
    const lamps = { name: 'one', scopes: { lamps: { description: 'REST' } } };
    const rooms = { name: 'other', scopes: { rooms: { description: 'REST' } } };
    expect(() => composeModules([all, lamps])).toThrow(/^The scope lamps:all of lamps includes the scope rooms, which no module brings\.$/);
    expect(composeModules([all, lamps, rooms]).scopes.get('lamps:all')?.includes).toEqual(['lamps', 'rooms']);
  });

  it.each([
    ['nobody says whether it leaves the service', undefined, 'does not say whether it leaves the service'],
    ['is published, but not what it tells of', { as: 'lamp.lit', version: 1, description: 'Light.' }, 'but no module publishes lamp'],
  ])('are refused for an event type of which %s', (_, published, fault) => {
    const events = { 'lamp-lit': { schemaVersion: 1, data: {}, published: published as PublishedForm | false } };
    expect(() => composeModules([{ name: 'lamps', events }])).toThrow(fault);
    expect(() => composeModules([{ name: 'lamps', events }])).toThrow('The event type lamp-lit of lamps');
  });

  it('are refused when two publish under one name', () => {
    const published = { as: 'lamp.lit', version: 1, description: 'Light.' };
    const events = (type: string) => ({ [type]: { schemaVersion: 1, data: {}, published } });
    const resource = publicResource('lamp');
    const lamps = { name: 'lamps', events: events('lamp-lit'), publishes: [resource] };
    expect(() => composeModules([lamps, { name: 'rooms', events: events('room-lit') }])).toThrow(
      'The public event type lamp.lit is brought by lamps and by rooms',
    );
    expect(() => composeModules([lamps, { name: 'rooms', publishes: [resource] }])).toThrow(/published category lamp.*collection lamp/);
    expect([...composeModules([lamps]).publishedForms.keys()]).toEqual(['lamp-lit']);
  });

  it('are told of all that is wrong at once', () => {
    const both = { tables: ['lights'], scopes: { lamps: { description: 'REST' } } };
    expect(() =>
      composeModules([
        { name: 'one', ...both },
        { name: 'other', ...both },
      ]),
    ).toThrow(/The table lights.*The scope lamps/);
  });

  it('have their scopes in order, those that a key has by default first', () => {
    const { scopes } = composeModules([
      { name: 'one', scopes: { one: { description: 'REST' } } },
      { name: 'other', scopes: { other: { description: 'REST', isDefault: true } } },
    ]);
    expect([...scopes.keys()]).toEqual(['other', 'one']);
  });
});
