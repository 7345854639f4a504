import { nearest, printableLine } from '#libs/cli-kit';
import { variables } from './variables.js';

/** A variable that is set and means nothing to the service, and the one of its own that was probably meant. */
export interface NearVariable {
  readonly name: string;
  readonly nearest: string;
}

const NAMES = Object.keys(variables);
/** The first words of the service's own variables, such as `WEBHOOK_`. */
const PREFIXES = new Set(NAMES.filter((name) => name.includes('_')).map(firstWord));
/** Any of these mistakes in typing needs three letters for itself: else nearly every short word would be near to `PORT`. */
const MISTAKES = [1, 2, 3];
const LETTERS_PER_MISTAKE = 3;

/** Variables of Node, npm, libpq, locales and OpenTelemetry: https://www.postgresql.org/docs/17/libpq-envars.html for `PGHOST` and `PGPORT`. */
const OF_OTHERS = /^(?:NODE_|npm_|NPM_|PG[A-Z]|LC_|OTEL_)/;
/** What Kubernetes and Docker tell of services beside: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables. */
const OF_SERVICE_LINKS = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:ADDR|PORT|PROTO))?)$/;
const LINK = /^\w+:\/\//;

/**
 * The variables that are probably meant for the service and mistyped: up to three mistakes away from one of its own, `NAME_FILE`
 * included, or beginning with the first word of one. What is set to an empty text counts as not set. Values are never told.
 */
export function nearVariables(environment: Readonly<Record<string, string | undefined>>): NearVariable[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!value || OF_OTHERS.test(name) || isServiceLink(name, value)) return [];
    const suffix = name.endsWith('_FILE') ? '_FILE' : '';
    const own = nearestOwn(name.slice(0, name.length - suffix.length));
    return own === undefined ? [] : [{ name, nearest: `${own}${suffix}` }];
  });
}

/** What is said of such a variable, one sentence. */
export function describeNearVariable(variable: NearVariable): string {
  return `${printableLine(variable.name)} is set, but is no variable of this service; the nearest is ${variable.nearest}.`;
}

function isServiceLink(name: string, value: string): boolean {
  return OF_SERVICE_LINKS.test(name) || (name.endsWith('_PORT') && LINK.test(value));
}

/** undefined for what is one of them, and for what is not near to any. */
function nearestOwn(name: string): string | undefined {
  if (NAMES.includes(name)) return undefined;
  const capitals = name.toUpperCase();
  if (NAMES.includes(capitals)) return capitals;
  for (const mistakes of MISTAKES) {
    const found = nearest(
      capitals,
      NAMES.filter((own) => own.length >= mistakes * LETTERS_PER_MISTAKE && Math.abs(own.length - name.length) <= mistakes),
      mistakes,
    );
    if (found !== undefined) return found;
  }
  return nearestRelated(name);
}

/** The one that the name is the beginning of, else the nearest of those that have the first word in common with it. */
function nearestRelated(name: string): string | undefined {
  const prefix = firstWord(name);
  if (!PREFIXES.has(prefix)) return undefined;
  const related = NAMES.filter((own) => own.startsWith(prefix));
  return related.find((own) => own.startsWith(name)) ?? nearest(name, related, Infinity);
}

/** With its underscore; nothing where the name is one word. */
function firstWord(name: string): string {
  return name.slice(0, name.indexOf('_') + 1);
}
