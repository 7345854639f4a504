import { nearest, type ModuleSettings } from '#libs/http';
import { printableLine } from '#libs/observability';
import { listSettings } from './core-settings.js';

/** Variables of Node, npm, libpq, locales and OpenTelemetry. */
const OF_OTHERS = /^(?:NODE_|npm_|PG|LC_|OTEL_)/i;
/** Names that Kubernetes and Docker make of the services of others: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables. */
const OF_SERVICE_LINKS = /_(?:SERVICE|PORT)(?:_|$)/;
const MAX_MISTAKES = 2;

/**
 * Finds variables that are probably mistyped, and their nearest variable: in other letter case, up to two mistakes away from one of the
 * service, `NAME_FILE` included, or with the same first word. An empty variable counts as not set. The result holds no values.
 */
export function findNearVariables(
  environment: Readonly<Record<string, string | undefined>>,
  modules: ReadonlyMap<string, ModuleSettings>,
): { name: string; nearest: string }[] {
  const names = listSettings(modules).flatMap(({ variable }) => [variable, `${variable}_FILE`]);
  return Object.entries(environment).flatMap(([name, value]) => {
    const own = !value || names.includes(name) || OF_OTHERS.test(name) ? undefined : findNearest(name, names);
    return own === undefined ? [] : [{ name, nearest: own }];
  });
}

/** Describes such a variable in one sentence. */
export function describeNearVariable(variable: { readonly name: string; readonly nearest: string }): string {
  return `${printableLine(variable.name)} is set, but is not a variable of this service; the nearest is ${variable.nearest}.`;
}

function findNearest(name: string, names: readonly string[]): string | undefined {
  const capitals = name.toUpperCase();
  if (names.includes(capitals)) return capitals;
  // One mistake for three letters: otherwise nearly every short word would be near to `PORT`.
  const mistyped = nearest(capitals, names, (own) => Math.min(MAX_MISTAKES, Math.floor(own.replace(/_FILE$/, '').length / 3)));
  const prefix = name.slice(0, name.indexOf('_') + 1);
  if (mistyped !== undefined || prefix === '' || OF_SERVICE_LINKS.test(name)) return mistyped;
  const related = names.filter((own) => own.startsWith(prefix));
  return nearest(name, related, () => Infinity);
}
