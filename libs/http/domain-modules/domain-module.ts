import type { DynamicModule, Type } from '@nestjs/common';
import type { Migration, RetentionRule } from '#libs/database';
import { coreErrors, type ErrorCodes, type ErrorDefinition } from '#libs/observability';
import {
  eventSourcingMigrations,
  listEventDefinitions,
  type EventDefinition,
  type EventDefinitions,
  type Projection,
  type PublishedForm,
} from '#libs/event-sourcing';
import type { DocumentTag } from '../openapi/openapi-document.js';
import type { PublicEventDefinitions } from '../public-events/public-event-catalog.js';
import type { PublicResource } from '../public-events/public-event.js';
import type { ModuleSettings, SettingValues } from './settings.js';

/** A scope of API keys, as help, document and error messages describe it. */
export interface ScopeDefinition {
  /** What a key with it may be used for, as a phrase such as `REST under /v1/pets`. */
  readonly description: string;
  /** Whether new keys have it unless their scopes are given. Default: false. */
  readonly isDefault?: boolean;
  /** Scopes that this one includes, with the scopes they include in turn. */
  readonly includes?: readonly string[];
}

/** What the service tells every module. */
export interface ModuleContext {
  /** `cli`: the application runs one command beside the service and listens on no port. */
  readonly purpose: 'service' | 'cli';
  /** Whether background work (timeouts, deliveries) runs by itself. */
  readonly polls: boolean;
  readonly deployment: 'development' | 'staging' | 'production';
  /** All migrations of this build. */
  readonly migrations: readonly Migration[];
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  /** Retention rules of all modules. */
  readonly retention: readonly RetentionRule[];
}

/**
 * Everything that one folder of the service contributes. Nothing outside the folder names any of it: the service joins the contributions
 * of all modules in the list. Commands are listed apart (`src/commands.ts`), so that the command line need not load a module for its help.
 */
export interface DomainModule<Context = unknown> {
  /** The name of its folder, such as `pets`. */
  readonly name: string;
  /** Nest's module: controllers, resolvers, handlers, health indicators and metrics. */
  readonly module?: Type<unknown>;
  /** Its environment variables. */
  readonly settings?: ModuleSettings;
  /** Makes Nest's module from the values of its settings and what the service tells it; undefined if this application has no use for it. */
  readonly configuredModule?: (context: Context) => DynamicModule | undefined;
  readonly events?: EventDefinitions;
  /** The resources that its published events describe; each event says in its definition whether it is published. */
  readonly publishes?: readonly PublicResource[];
  readonly projections?: readonly Projection[];
  /** Migrations of plain tables beside the log, run in the order of the times in their names. A projection creates its own tables. */
  readonly migrations?: readonly Migration[];
  readonly scopes?: Readonly<Record<string, ScopeDefinition>>;
  readonly errors?: ErrorCodes;
  /** How long rows of plain tables are kept. */
  readonly retention?: readonly RetentionRule[] | ((context: Context) => readonly RetentionRule[]);
  /** The OpenAPI tag of its operations, which has the module's name; pages show the title. */
  readonly documentTag?: { readonly title: string; readonly description: string };
}

/**
 * Returns the contribution unchanged, with its type checked. Its functions get the values of its settings as `settings`.
 * @template Context the values that the module needs from the service; not inferred, so that its functions cannot ask for other settings
 */
export function domainModule<Context = ModuleContext, Settings extends ModuleSettings = ModuleSettings>(
  contribution: DomainModule<NoInfer<Context> & { readonly settings: SettingValues<Settings> }> & { readonly settings?: Settings },
): DomainModule<Context & { readonly settings: SettingValues<Settings> }> {
  return contribution;
}

/** The contributions of all modules together. */
export interface ComposedModules extends PublicEventDefinitions {
  readonly events: readonly EventDefinition[];
  readonly projections: readonly Projection[];
  /** Includes those of the libraries, oldest first. */
  readonly migrations: readonly Migration[];
  /** By name, default scopes of a key first. */
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  /** Includes those of the libraries. */
  readonly errors: readonly ErrorDefinition[];
  /** By module, in the order of the modules. */
  readonly settings: ReadonlyMap<string, ModuleSettings>;
  readonly tags: readonly DocumentTag[];
}

/** A module with any context. */
type AnyModule = DomainModule<never>;

/** Joins the contributions of modules. `declared-names.unit.spec.ts` shows that no two declare one name. */
export function composeModules(modules: readonly AnyModule[]): ComposedModules {
  return {
    events: modules.flatMap(({ events = {} }) => listEventDefinitions(events)),
    publishedForms: new Map(modules.flatMap(publishedForms)),
    publicResources: modules.flatMap(({ publishes = [] }) => publishes),
    projections: modules.flatMap(({ projections = [] }) => projections),
    migrations: sortByTime([...eventSourcingMigrations, ...modules.flatMap(({ migrations = [] }) => migrations)]),
    scopes: new Map(defaultsFirst(modules.flatMap(({ scopes = {} }) => Object.entries(scopes)))),
    errors: [...Object.values(coreErrors), ...modules.flatMap(({ errors = {} }) => Object.values(errors))],
    settings: new Map(modules.flatMap(({ name, settings }) => (settings ? [[name, settings]] : []))),
    tags: modules.flatMap(({ name, documentTag: tag }) =>
      tag ? [{ name, 'x-displayName': tag.title, description: tag.description }] : [],
    ),
  };
}

/** The public forms of a module's events, by stored type. */
function publishedForms({ events = {} }: AnyModule): [string, PublishedForm][] {
  return Object.entries(events).flatMap(([type, { published }]): [string, PublishedForm][] => (published ? [[type, published]] : []));
}

function defaultsFirst(scopes: readonly [string, ScopeDefinition][]): [string, ScopeDefinition][] {
  return [...scopes].sort(([, left], [, right]) => Number(right.isDefault ?? false) - Number(left.isDefault ?? false));
}

/** The names of migrations end in their time. */
function sortByTime(migrations: readonly Migration[]): Migration[] {
  const timeOf = ({ name }: Migration) => name.slice(-13);
  return [...migrations].sort((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1));
}
