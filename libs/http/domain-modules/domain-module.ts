import type { DynamicModule, Type } from '@nestjs/common';
import type { Migration } from '#libs/database';
import type { ErrorCodes, RetentionRule } from '#libs/observability';
import type { EventDefinitions, Projection } from '#libs/event-sourcing';
import type { PublicResource } from '../public-events/public-event.js';

/** A scope of API keys, as help, document and error messages describe it. */
export interface ScopeDefinition {
  /** What a key with it may be used for, as a phrase such as `REST under /v1/pets`. */
  readonly description: string;
  /** Whether new keys have it unless their scopes are given. Default: false. */
  readonly isDefault?: boolean;
  /** Scopes that this one includes, with the scopes they include in turn. */
  readonly includes?: readonly string[];
}

/**
 * Everything that one folder of the service contributes. Nothing outside the folder names any of it: the service joins the contributions
 * of all modules in the list. Commands are listed apart (`src/commands.ts`), so that the command line need not load a module for its help.
 */
export interface DomainModule<Settings = unknown> {
  /** The name of its folder, such as `pets`. */
  readonly name: string;
  /** Nest's module: controllers, resolvers, handlers, health indicators and metrics. */
  readonly module?: Type<unknown>;
  /** Makes Nest's module from the settings; undefined if this application has no use for it. */
  readonly configuredModule?: (settings: Settings) => DynamicModule | undefined;
  readonly events?: EventDefinitions;
  /** The resources that its published events describe; each event says in its definition whether it is published. */
  readonly publishes?: readonly PublicResource[];
  readonly projections?: readonly Projection[];
  /** Migrations of plain tables beside the log, run in the order of the times in their names. A projection creates its own tables. */
  readonly migrations?: readonly Migration[];
  /** The plain tables that its migrations create. */
  readonly tables?: readonly string[];
  readonly scopes?: Readonly<Record<string, ScopeDefinition>>;
  readonly errors?: ErrorCodes;
  /** How long rows of plain tables are kept. */
  readonly retention?: readonly RetentionRule[] | ((settings: Settings) => readonly RetentionRule[]);
  /** Names of its counters and gauges that the operators' console shows. */
  readonly consoleMetrics?: readonly string[];
  /** The description of the OpenAPI tag that has the module's name. */
  readonly documentTag?: { readonly description: string };
}

/** Returns the contribution unchanged, with its type checked. */
export function domainModule<Settings = unknown>(contribution: DomainModule<Settings>): DomainModule<Settings> {
  return contribution;
}
