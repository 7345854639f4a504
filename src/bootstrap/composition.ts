import { isIPv6, type AddressInfo } from 'node:net';
import type { DynamicModule, Type } from '@nestjs/common';
import type { Logger } from 'pino';
import { composeModules, type ComposedModules, type DomainModule, type ModuleContext, PublicEventCatalog } from '#libs/http';
import { loadConfiguration, type Configuration } from '../config/index.js';
import * as modules from '../modules.js';

/** What the service tells a module. */
interface ServiceContext extends ModuleContext, Pick<Configuration, 'console' | 'logsClientAddress'> {
  /** The log of the GraphQL schema, which is served only if this is given. */
  readonly graphqlLogger?: Logger | undefined;
}

/** `settings` are the values of the module's own settings, whichever those are. */
type AnyModule = DomainModule<ServiceContext & { readonly settings: never }>;

/** The modules, in the order of `modules.ts`. */
export const contributions: readonly AnyModule[] = Object.values(modules);

let composed: ComposedModules | undefined;

/** Joins the contributions of the modules in `modules.ts`, once. */
export function composition(): ComposedModules {
  return (composed ??= composeModules(contributions));
}

/**
 * Reads the configuration of the service and its modules from environment variables.
 * @throws ConfigurationError that names every mistake at once
 */
export function loadServiceConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  return loadConfiguration(environment, composition().settings);
}

/** Returns Nest's modules of all contributions. */
export function nestModules(
  context: Omit<ServiceContext, 'migrations' | 'scopes' | 'retention'>,
  settings: Configuration['modules'],
): (Type<unknown> | DynamicModule)[] {
  const { migrations, scopes } = composition();
  const contextOf = ({ name }: AnyModule, retention: ServiceContext['retention']) => {
    return { ...context, migrations, scopes, retention, settings: (settings[name] ?? {}) as never };
  };
  const retention = contributions.flatMap((each) => {
    const { retention: rules = [] } = each;
    return typeof rules === 'function' ? rules(contextOf(each, [])) : rules;
  });
  return contributions
    .flatMap((each) => [each.module, each.configuredModule?.(contextOf(each, retention))])
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

/** The source URL of events in development, if there is no public URL. */
export function developmentSource({ address, port }: Pick<AddressInfo, 'address' | 'port'>): string {
  const host = ['0.0.0.0', '::'].includes(address) ? 'localhost' : address;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}/v1`;
}
