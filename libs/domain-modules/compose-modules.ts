import type { Migration } from '#libs/database';
import { errorTable, type ErrorDefinition } from '#libs/errors';
import { definitionsOf, eventStoreMigrations, type EventDefinition, type PublishedForm } from '#libs/event-store';
import { LEASES_TABLE, processMigrations } from '#libs/processes';
import { projectionMigrations, type Projection } from '#libs/projections';
import type { PublicEventDefinitions } from '#libs/public-events';
import type { DomainModule, ScopeDefinition } from './domain-module.js';
import { publicationFaults } from './publication-faults.js';

/** What all modules bring together. */
export interface ComposedModules extends PublicEventDefinitions {
  readonly events: readonly EventDefinition[];
  readonly projections: readonly Projection[];
  /** Those of the libraries too, oldest first. */
  readonly migrations: readonly Migration[];
  /** By name, those that a key has by default first. */
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  readonly errors: readonly ErrorDefinition[];
  /** The metrics that the operators' console shows, by the module that brings them. */
  readonly figures: ReadonlyMap<string, readonly string[]>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

/** What is put together is not run, so that it does not matter what it is run with. */
type AnyModule = DomainModule<never>;

type Named = readonly [kind: string, name: string, module: string];

/**
 * Puts together what modules bring.
 * @throws Error that names each thing that two modules bring, or that a module brings twice, with both modules, and each scope that
 * includes one which no module brings, with its module, and each event type that does not say whether it leaves the service.
 */
export function composeModules(modules: readonly AnyModule[]): ComposedModules {
  const faults = [...broughtTwice(modules.flatMap(namesIn)), ...unknownIncluded(modules), ...publicationFaults(modules)];
  if (faults.length > 0) throw new Error(faults.join(' '));
  const scopes = modules.flatMap(({ scopes: own = {} }) => Object.entries(own));
  return {
    events: modules.flatMap(({ events = {} }) => definitionsOf(events)),
    publishedForms: new Map(modules.flatMap(formsOf)),
    publicResources: modules.flatMap(({ publishes = [] }) => publishes),
    projections: modules.flatMap(({ projections = [] }) => projections),
    migrations: inOrderOfTime([
      ...eventStoreMigrations,
      ...projectionMigrations,
      ...processMigrations,
      ...modules.flatMap(({ migrations = [] }) => migrations),
    ]),
    scopes: new Map(scopes.sort(([, left], [, right]) => Number(right.isDefault ?? false) - Number(left.isDefault ?? false))),
    errors: modules.flatMap(({ errors = {} }) => Object.values(errors)),
    figures: new Map(modules.flatMap(({ name, figures }) => (figures ? [[name, figures]] : []))),
    tags: modules.flatMap(({ name, documentTag }) => (documentTag ? [{ name, ...documentTag }] : [])),
  };
}

/** The forms in which its events leave the service, by the stored types. */
function formsOf({ events = {} }: AnyModule): [string, PublishedForm][] {
  return Object.entries(events).flatMap(([type, { published }]): [string, PublishedForm][] => (published ? [[type, published]] : []));
}

function namesIn(module: AnyModule): Named[] {
  const { name, events = {}, publishes = [], projections = [], migrations = [], tables = [], scopes = {}, errors = {} } = module;
  const named = (kind: string, names: readonly string[]) => names.map((each): Named => [kind, each, name]);
  return [
    ...named('module', [name]),
    ...named('event type', Object.keys(events)),
    ...named(
      'public event type',
      formsOf(module).map(([, { as }]) => as),
    ),
    ...named(
      'published category',
      publishes.map(({ category }) => category),
    ),
    ...named(
      'collection',
      publishes.map(({ collection }) => collection),
    ),
    ...named(
      'projection',
      projections.map((projection) => projection.name),
    ),
    ...named(
      'migration',
      migrations.map((migration) => migration.name),
    ),
    ...named('table', [...tables, ...projections.flatMap((projection) => projection.tables.map((table) => table.name))]),
    ...named('scope', Object.keys(scopes)),
    ...named('error code', Object.keys(errors)),
  ];
}

/** What the libraries bring themselves. */
const OF_LIBRARIES: readonly Named[] = [
  ...Object.keys(errorTable).map((code): Named => ['error code', code, 'the error table']),
  ...['events', 'sequences', 'idempotency_keys', 'stream_states'].map((table): Named => ['table', table, 'the event store']),
  ['table', 'projection_checkpoints', 'the projections'],
  ['table', LEASES_TABLE, 'the processes'],
  ['table', 'migrations', 'the database'],
];

function broughtTwice(named: readonly Named[]): string[] {
  const first = new Map<string, string>(OF_LIBRARIES.map(([kind, name, owner]) => [`${kind} ${name}`, owner]));
  return named.flatMap(([kind, name, module]) => {
    const thing = `${kind} ${name}`;
    const other = first.get(thing);
    first.set(thing, other ?? module);
    return other === undefined ? [] : [clash(thing, other, module)];
  });
}

function clash(thing: string, one: string, other: string): string {
  return `The ${thing} is brought by ${one} and by ${other}: each needs a name of its own.`;
}

function unknownIncluded(modules: readonly AnyModule[]): string[] {
  const known = new Set(modules.flatMap(({ scopes = {} }) => Object.keys(scopes)));
  return modules.flatMap(({ name, scopes = {} }) =>
    Object.entries(scopes).flatMap(([scope, { includes = [] }]) =>
      includes
        .filter((included) => !known.has(included))
        .map((included) => `The scope ${scope} of ${name} includes the scope ${included}, which no module brings.`),
    ),
  );
}

function inOrderOfTime(migrations: readonly Migration[]): Migration[] {
  const timeOf = ({ name }: Migration) => name.slice(-13);
  return [...migrations].sort((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1));
}
