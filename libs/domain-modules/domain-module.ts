import type { DynamicModule, Type } from '@nestjs/common';
import type { Migration } from '#libs/database';
import type { ErrorCodes } from '#libs/errors';
import type { EventDefinitions } from '#libs/event-store';
import type { RetentionRule } from '#libs/operations';
import type { Projection } from '#libs/projections';
import type { PublicResource } from '#libs/public-events';

/** A scope that a key can have, as help, document and refusals tell of it. */
export interface ScopeDefinition {
  /** What a key with it may be used for, as a phrase such as `REST under /v1/pets`. */
  readonly description: string;
  /** Whether a key has it when nobody says which scopes it shall have; false when left out. */
  readonly isDefault?: boolean;
  /** Other scopes: a key with this one may do what they allow too, and what they include in turn. None when left out. */
  readonly includes?: readonly string[];
}

/** Makes Nest's module for an application; undefined where an application of this kind has no use for it. */
export type ModuleFactory<Settings> = (settings: Settings) => DynamicModule | undefined;

/**
 * Everything that one folder of the service brings. Nothing outside the folder names any of it: Nest's imports, migrations in order,
 * the registry of events, what of them leaves the service, the projections, the scopes of keys, the codes of errors, the document and retention are
 * put together from the list of modules. Its commands are listed apart, so that the command line need not load it.
 */
export interface DomainModule<Settings = unknown> {
  /** As in its folder, such as `pets`. */
  readonly name: string;
  /** Nest's module: controllers, resolvers, handlers, and what registers itself with health and metrics. */
  readonly module?: Type<unknown>;
  /** The same where it depends on the settings. */
  readonly configuredModule?: ModuleFactory<Settings>;
  readonly events?: EventDefinitions;
  /** What its published events tell of, such as animals; each event says in its definition whether it is published. */
  readonly publishes?: readonly PublicResource[];
  readonly projections?: readonly Projection[];
  /** For plain tables beside the log; a projection creates its own. Run in the order of the times in their names. */
  readonly migrations?: readonly Migration[];
  /** The plain tables that its migrations have made. */
  readonly tables?: readonly string[];
  readonly scopes?: Readonly<Record<string, ScopeDefinition>>;
  readonly errors?: ErrorCodes;
  /** How long rows of plain tables are kept. */
  readonly retention?: readonly RetentionRule[] | RetentionOf<Settings>;
  /** The names of those of its metrics that the operators' console shows: counters and gauges. */
  readonly figures?: readonly string[];
  /** What the OpenAPI document says of the tag that bears the module's name. */
  readonly documentTag?: { readonly description: string };
}

/** Says how long rows are kept where that depends on the settings. */
export type RetentionOf<Settings> = (settings: Settings) => readonly RetentionRule[];

/** Checks at compile time what a module brings and gives it back. */
export function domainModule<Settings = unknown>(contribution: DomainModule<Settings>): DomainModule<Settings> {
  return contribution;
}
