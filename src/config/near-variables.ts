import { nearest } from '#libs/http';
import type { ModuleSettings } from '#libs/http';
import { printableLine } from '#libs/observability';
import { listSettings } from './core-settings.js';

/** Variables of Node, npm, libpq (https://www.postgresql.org/docs/17/libpq-envars.html), locales and OpenTelemetry. */
const OF_OTHERS = /^(?:NODE_|npm_|NPM_|PG[A-Z]|LC_|OTEL_)/;
/** Variables that Kubernetes and Docker set for other services: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables. */
const OF_SERVICE_LINKS = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)$/;
const LINK = /^\w+:\/\//;

/**
 * Finds variables that are probably mistyped, and their nearest variable: up to three mistakes away from one of the service, `NAME_FILE`
 * included, or with the same first word. An empty variable counts as not set. The result holds no values.
 */
export function findNearVariables(
  environment: Readonly<Record<string, string | undefined>>,
  modules: ReadonlyMap<string, ModuleSettings>,
): { name: string; nearest: string }[] {
  const names = listSettings(modules).map(({ variable }) => variable);
  return Object.entries(environment).flatMap(([name, value]) => {
    const isServiceLink = OF_SERVICE_LINKS.test(name) || (name.endsWith('_PORT') && LINK.test(value ?? ''));
    if (!value || OF_OTHERS.test(name) || isServiceLink) return [];
    const suffix = name.endsWith('_FILE') ? '_FILE' : '';
    const own = findNearest(name.slice(0, name.length - suffix.length), names);
    return own === undefined ? [] : [{ name, nearest: `${own}${suffix}` }];
  });
}

/** Describes such a variable in one sentence. */
export function describeNearVariable(variable: { readonly name: string; readonly nearest: string }): string {
  return `${printableLine(variable.name)} is set, but is not a variable of this service; the nearest is ${variable.nearest}.`;
}

/** Returns undefined for a variable of the service and for a name that is near to none. */
function findNearest(name: string, names: readonly string[]): string | undefined {
  const capitals = name.toUpperCase();
  if (names.includes(capitals)) return capitals === name ? undefined : capitals;
  // One mistake for three letters: otherwise nearly every short word would be near to `PORT`.
  const mistyped = nearest(capitals, names, (own) => Math.min(3, Math.floor(own.length / 3)));
  if (mistyped !== undefined) return mistyped;
  const prefix = name.slice(0, name.indexOf('_') + 1);
  const related = names.filter((own) => prefix !== '' && own.startsWith(prefix));
  return related.find((own) => own.startsWith(name)) ?? nearest(name, related, () => Infinity);
}
