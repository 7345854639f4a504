import { isIPv6, type AddressInfo } from 'node:net';
import type { DynamicModule, Type } from '@nestjs/common';
import { composeModules, type ComposedModules, type DomainModule, type ScopeDefinition } from '#libs/domain-modules';
import type { Migration } from '#libs/database';
import { PublicEventCatalog } from '#libs/public-events';
import type { RetentionRule } from '#libs/operations';
import type { Logger } from 'pino';
import type { Configuration } from './config/index.js';
import * as modules from './modules.js';

/** What a module may ask for when it is put into an application. */
export interface ServiceSettings extends Pick<
  Configuration,
  'console' | 'deployment' | 'feed' | 'graphql' | 'idempotencyRetention' | 'logsClientAddress' | 'orderReservation' | 'webhooks'
> {
  /** The command line runs one command beside the service, and serves nothing. */
  readonly purpose: 'service' | 'cli';
  /** Whether what only time causes, or what happens, is looked for by itself. */
  readonly polls: boolean;
  readonly limits: Configuration['rateLimits'];
  readonly redis?: NonNullable<Configuration['redis']>;
  /** The log of the query schema, which is served when this is given. */
  readonly graphqlLogger?: Logger;
  /** All that this build knows. */
  readonly migrations: readonly Migration[];
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  /** The metrics that the operators' console shows, by the module that brings them. */
  readonly figures: ReadonlyMap<string, readonly string[]>;
  /** What of all modules need not be kept for ever. */
  readonly retention: readonly RetentionRule[];
}

/** The modules, in the order of `modules.ts`. */
export const contributions: readonly DomainModule<ServiceSettings>[] = Object.values(modules);

let composed: ComposedModules | undefined;

/**
 * What the modules of `modules.ts` bring together.
 * @throws Error that names what two of them bring, and both
 */
export function composition(): ComposedModules {
  return (composed ??= composeModules(contributions));
}

/** The events that leave a deployment. In development they name an address once the server listens, and until then that of the configuration. */
export function publicEventCatalog({ deployment, baseUrls, host, port }: EventsOrigin): PublicEventCatalog {
  const source = deployment === 'development' ? developmentSource({ address: host, port }) : baseUrls[deployment];
  return new PublicEventCatalog(composition(), source);
}

type EventsOrigin = Pick<Configuration, 'deployment' | 'baseUrls' | 'host' | 'port'>;

const ANY_ADDRESS = ['0.0.0.0', '::'];

/** Where events come from in a deployment that has no public address. */
export function developmentSource({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = ANY_ADDRESS.includes(address) ? 'localhost' : address;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}/v1`;
}

/** Nest's modules of all of them. */
export function nestModules(
  settings: Omit<ServiceSettings, 'figures' | 'migrations' | 'scopes' | 'retention'>,
): (Type<unknown> | DynamicModule)[] {
  const { figures, migrations, scopes } = composition();
  const withComposition: ServiceSettings = { ...settings, figures, migrations, scopes, retention: [] };
  const retention = contributions.flatMap(({ retention: own = [] }) => (typeof own === 'function' ? own(withComposition) : own));
  return contributions.flatMap(({ module, configuredModule }) => [
    ...(module ? [module] : []),
    ...[configuredModule?.({ ...withComposition, retention }) ?? []].flat(),
  ]);
}
