import { nearest } from '#libs/cli';
import { printableLine } from '#libs/observability';
import { variables } from './variables.js';

/** A variable that is set but unknown to the service, and the one that was probably meant. */
interface NearVariable {
  readonly name: string;
  readonly nearest: string;
}

const NAMES = Object.keys(variables);
/** The first words of the service's own variables, such as `WEBHOOK_`. */
const PREFIXES = new Set(NAMES.filter((name) => name.includes('_')).map(firstWord));
/** Variables of Node, npm, libpq, locales and OpenTelemetry: https://www.postgresql.org/docs/17/libpq-envars.html for `PGHOST` and `PGPORT`. */
const OF_OTHERS = /^(?:NODE_|npm_|NPM_|PG[A-Z]|LC_|OTEL_)/;
/** What Kubernetes and Docker set for other services: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables. */
const OF_SERVICE_LINKS = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)$/;
const LINK = /^\w+:\/\//;

/**
 * Finds variables that are probably mistyped: up to three mistakes away from one of the service, `NAME_FILE` included, or beginning with
 * the first word of one. An empty variable counts as not set. The result holds no values.
 */
export function findNearVariables(environment: Readonly<Record<string, string | undefined>>): NearVariable[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!value || OF_OTHERS.test(name) || isServiceLink(name, value)) return [];
    const suffix = name.endsWith('_FILE') ? '_FILE' : '';
    const own = nearestOwn(name.slice(0, name.length - suffix.length));
    return own === undefined ? [] : [{ name, nearest: `${own}${suffix}` }];
  });
}

/** Describes such a variable in one sentence. */
export function describeNearVariable(variable: NearVariable): string {
  return `${printableLine(variable.name)} is set, but is no variable of this service; the nearest is ${variable.nearest}.`;
}

function isServiceLink(name: string, value: string): boolean {
  return OF_SERVICE_LINKS.test(name) || (name.endsWith('_PORT') && LINK.test(value));
}

/** Returns undefined for a variable of the service and for a name that is near to none. */
function nearestOwn(name: string): string | undefined {
  if (NAMES.includes(name)) return undefined;
  const capitals = name.toUpperCase();
  return NAMES.includes(capitals) ? capitals : (nearest(capitals, NAMES, allowedMistakes) ?? nearestRelated(name));
}

/** Each mistake in typing takes three letters of the variable: otherwise nearly every short word would be near to `PORT`. */
function allowedMistakes(own: string): number {
  return Math.min(3, Math.floor(own.length / 3));
}

/** Returns the variable that begins with the name, else the nearest one with the same first word. */
function nearestRelated(name: string): string | undefined {
  const prefix = firstWord(name);
  if (!PREFIXES.has(prefix)) return undefined;
  const related = NAMES.filter((own) => own.startsWith(prefix));
  return related.find((own) => own.startsWith(name)) ?? nearest(name, related, () => Infinity);
}

/** Returns the first word with its underscore, or nothing if the name is one word. */
function firstWord(name: string): string {
  return name.slice(0, name.indexOf('_') + 1);
}
