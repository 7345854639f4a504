import fc from 'fast-check';
import { ForwardMigration } from '#libs/database';
import { errorTable } from '#libs/observability';
import type { PublishedForm, Projection } from '#libs/event-sourcing';
import type { PublicResource } from '../public-events/public-event.js';
import { composeModules, type DomainModule } from './domain-module.js';
import { setting, text } from './settings.js';

type Contribution = Omit<DomainModule, 'name'>;

/** Makes a contribution with one thing of a name, by the kind of the thing in messages. */
const KINDS: readonly (readonly [kind: string, contribute: (name: string) => Contribution])[] = [
  ['event type', (name) => ({ events: { [name]: { schemaVersion: 1, data: {}, published: false } } })],
  ['published category', (name) => ({ publishes: [publicResource(name, `those of ${name}`)] })],
  ['collection', (name) => ({ publishes: [publicResource(`category of ${name}`, name)] })],
  ['projection', (name) => ({ projections: [projection(name)] })],
  ['migration', (name) => ({ migrations: [migration(name)] })],
  ['table', (name) => ({ tables: [name] })],
  ['table', (name) => ({ projections: [projection(`projection of ${name}`, name)] })],
  ['scope', (name) => ({ scopes: { [name]: { description: 'REST' } } })],
  [
    'error code',
    (name) => ({ errors: { [name]: { code: name, status: 409, description: 'It is there.', remedy: 'Take another name.' } } }),
  ],
];

const name = fc.stringMatching(/^[a-z]{1,8}(-[a-z]{1,8}){0,2}$/).filter((text) => !(text in errorTable || text === 'events'));
const kind = fc.constantFrom(...KINDS);

function projection(projectionName: string, ...tables: readonly string[]): Projection {
  const table = (tableName: string) => ({ name: tableName, columns: { id: { type: 'int64' as const } }, primaryKey: ['id'] });
  return { name: projectionName, version: 1, eventTypes: [], tables: tables.map(table), project: () => Promise.resolve() };
}

function publicResource(category: string, collection = category): PublicResource {
  const decider = { initialState: {}, evolve: (state: unknown) => state };
  const schema = { $ref: '#/components/schemas/Lamp' };
  return { category, collection, schema, example: () => ({ id: 1 }), decider, show: () => undefined };
}

function migration(migrationName: string) {
  class Named extends ForwardMigration {
    protected statements(): string[] {
      return [];
    }
  }
  return Object.defineProperty(Named, 'name', { value: migrationName });
}

function withVariable(variable: string): DomainModule {
  return { name: 'lamps', settings: { brightness: setting(variable, text, { description: 'How bright a lamp is' }) } };
}

describe('composed modules', () => {
  it('have everything that each of them contributes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 6 }), kind, (names, [, contribute]) => {
        const composed = composeModules(names.map((each) => ({ name: each, ...contribute(each) })));
        const all = Object.values(composed).flatMap((things: readonly object[] | ReadonlyMap<string, object>) => [...things]);
        const unnamed = 'tables' in contribute('');
        expect(all.length).toBe(composeModules([]).migrations.length + (unnamed ? 0 : names.length));
      }),
    );
  });

  it('are refused if two declare the same name, with its kind and both owners', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 3, maxLength: 3 }), kind, ([one = '', other = '', thing = ''], [what, contribute]) => {
        const modules = [one, other].map((each) => ({ name: each, ...contribute(thing) }));
        expect(() => composeModules(modules)).toThrow(
          `The ${what} ${thing} is declared by ${one} and by ${other}: each needs its own name.`,
        );
      }),
    );
  });

  it('are refused if two declare a variable, or one of the service', () => {
    const lamps = withVariable('LAMP_BRIGHTNESS');
    expect(() => composeModules([lamps, { ...lamps, name: 'rooms' }])).toThrow(
      'The variable LAMP_BRIGHTNESS is declared by lamps and by rooms: each needs its own name.',
    );
    expect(() => composeModules([lamps], ['LAMP_BRIGHTNESS'])).toThrow(
      'The variable LAMP_BRIGHTNESS is declared by the service and by lamps: each needs its own name.',
    );
    expect([...composeModules([lamps], ['PORT']).settings]).toEqual([['lamps', lamps.settings]]);
  });

  it.each(['lampBrightness', 'lamp_brightness', 'LAMP-BRIGHTNESS', '_LAMP', 'LAMP_', 'LAMP__BRIGHTNESS', '1_LAMP', 'LAMP_FILE', ''])(
    'are refused for the variable "%s"',
    (variable) => {
      expect(() => composeModules([withVariable(variable)])).toThrow(`The variable ${variable} of lamps must be in capitals`);
    },
  );

  it('may use one name for things of different kinds', () => {
    fc.assert(
      fc.property(name, (thing) => {
        const kinds = KINDS.filter(([what], index) => KINDS.findIndex(([each]) => each === what) === index);
        expect(() =>
          composeModules(kinds.map(([, contribute], index) => ({ name: `module-${index}`, ...contribute(thing) }))),
        ).not.toThrow();
      }),
    );
  });

  it.each<[contribution: Contribution, owner: string]>([
    [
      { errors: { not_found: { code: 'not_found', status: 404, description: 'It is not there.', remedy: 'Look elsewhere.' } } },
      'the error table',
    ],
    [{ tables: ['events'] }, 'the event store'],
    [{ projections: [projection('checkpoints', 'projection_checkpoints')] }, 'the projections'],
    [{ tables: ['process_leases'] }, 'the processes'],
    [{ tables: ['migrations'] }, 'the database'],
  ])('are refused for a name of a library: %j', (contribution, owner) => {
    expect(() => composeModules([{ name: 'lamps', ...contribution }])).toThrow(
      new RegExp(`^The \\w[\\w ]+ \\S+ is declared by ${owner} and by lamps`),
    );
  });

  it('are refused for all mistakes at once', () => {
    const all = { name: 'lamps', scopes: { 'lamps:all': { description: 'REST', includes: ['lamps', 'rooms'] } } };
    const lamps = { name: 'lamps', scopes: { lamps: { description: 'REST' } } };
    expect(() => composeModules([all, lamps])).toThrow(
      'The module lamps is declared by lamps and by lamps: each needs its own name. ' +
        'The scope lamps:all of lamps includes the scope rooms, which no module declares.',
    );
  });

  it.each([
    ['`published` is missing', undefined, 'does not say whether it leaves the service'],
    ['is published without its resource', { as: 'lamp.lit', version: 1, description: 'Light.' }, 'but no module publishes lamp'],
  ])('are refused for an event type if it %s', (_, published, mistake) => {
    const events = { 'lamp-lit': { schemaVersion: 1, data: {}, published: published as PublishedForm | false } };
    expect(() => composeModules([{ name: 'lamps', events }])).toThrow(mistake);
    expect(() => composeModules([{ name: 'lamps', events }])).toThrow('The event type lamp-lit of lamps');
  });

  it('are refused if two publish under one name', () => {
    const published = { as: 'lamp.lit', version: 1, description: 'Light.' };
    const events = (type: string) => ({ [type]: { schemaVersion: 1, data: {}, published } });
    const lamps = { name: 'lamps', events: events('lamp-lit'), publishes: [publicResource('lamp')] };
    expect(() => composeModules([lamps, { name: 'rooms', events: events('room-lit') }])).toThrow(
      'The public event type lamp.lit is declared by lamps and by rooms',
    );
    expect([...composeModules([lamps]).publishedForms.keys()]).toEqual(['lamp-lit']);
  });

  it('have default scopes first', () => {
    const { scopes } = composeModules([
      { name: 'one', scopes: { one: { description: 'REST' } } },
      { name: 'other', scopes: { other: { description: 'REST', isDefault: true } } },
    ]);
    expect([...scopes.keys()]).toEqual(['other', 'one']);
  });
});
