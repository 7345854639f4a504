import { isIPv6, type AddressInfo } from 'node:net';
import type { DynamicModule, Type } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Migration } from '#libs/database';
import { composeModules, type ComposedModules, type DomainModule, type ScopeDefinition, PublicEventCatalog } from '#libs/http';
import type { RetentionRule } from '#libs/observability';
import type { Configuration } from '../config/index.js';
import * as modules from '../modules.js';

/** Settings that a module may ask for. */
export interface ServiceSettings extends Pick<
  Configuration,
  'console' | 'deployment' | 'feed' | 'graphql' | 'idempotencyRetention' | 'logsClientAddress' | 'orderReservation' | 'redis' | 'webhooks'
> {
  /** `cli`: the application runs one command beside the service and listens on no port. */
  readonly purpose: 'service' | 'cli';
  /** Whether background work (timeouts, deliveries) runs by itself. */
  readonly polls: boolean;
  readonly limits: Configuration['rateLimits'];
  /** The log of the GraphQL schema, which is served only if this is given. */
  readonly graphqlLogger?: Logger | undefined;
  /** All migrations of this build. */
  readonly migrations: readonly Migration[];
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  /** Names of the metrics that the operators' console shows, by module. */
  readonly consoleMetrics: ReadonlyMap<string, readonly string[]>;
  /** Retention rules of all modules. */
  readonly retention: readonly RetentionRule[];
}

/** The modules, in the order of `modules.ts`. */
export const contributions: readonly DomainModule<ServiceSettings>[] = Object.values(modules);

let composed: ComposedModules | undefined;

/**
 * Joins the contributions of the modules in `modules.ts`, once.
 * @throws Error that names what two of them declare
 */
export function composition(): ComposedModules {
  return (composed ??= composeModules(contributions));
}

/** Returns Nest's modules of all contributions. */
export function nestModules(
  settings: Omit<ServiceSettings, 'consoleMetrics' | 'migrations' | 'scopes' | 'retention'>,
): (Type<unknown> | DynamicModule)[] {
  const { consoleMetrics, migrations, scopes } = composition();
  const all: ServiceSettings = { ...settings, consoleMetrics, migrations, scopes, retention: [] };
  const retention = contributions.flatMap(({ retention: rules = [] }) => (typeof rules === 'function' ? rules(all) : rules));
  return contributions
    .flatMap(({ module, configuredModule }) => [module, configuredModule?.({ ...all, retention })])
    .filter((module) => module !== undefined);
}

/** The published events, with the URL they come from: the public one or, in development, the address the server listens on. */
export function publicEventCatalog({
  deployment,
  baseUrls,
  host,
  port,
}: Pick<Configuration, 'deployment' | 'baseUrls' | 'host' | 'port'>): PublicEventCatalog {
  const source = deployment === 'development' ? developmentSource({ address: host, port }) : baseUrls[deployment];
  return new PublicEventCatalog(composition(), source);
}

/** The URL that events come from in development, where there is no public one. */
export function developmentSource({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = ['0.0.0.0', '::'].includes(address) ? 'localhost' : address;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}/v1`;
}
