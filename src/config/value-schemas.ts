import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';

// Schemas that turn the text of a variable into its value. Each message continues a sentence that begins with the variable's name.

/** A whole number in plain decimal digits. */
export function integer(minimum: number, maximum: number) {
  return number(
    /^(?:0|[1-9]\d{0,15})$/,
    `must be a whole number from ${minimum} to ${maximum}`,
    (value) => value >= minimum && value <= maximum,
  );
}

/** Seconds in plain decimal digits, as milliseconds. */
export function seconds(minimum: number, maximum: number) {
  return integer(minimum, maximum).transform((value) => value * 1_000);
}

/** Hours in plain decimal digits, as milliseconds. */
export function hours(minimum: number, maximum: number) {
  return integer(minimum, maximum).transform((value) => value * 3_600_000);
}

/** Minutes above 0 as a decimal number, as milliseconds, at least one. */
export function minutes(maximum: number) {
  const error = `must be a decimal number above 0 and up to ${maximum}`;
  return number(/^(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/, error, (value) => value > 0 && value <= maximum).transform((value) =>
    Math.max(1, Math.round(value * 60_000)),
  );
}

export const ratio = number(/^\d(?:\.\d{1,15})?$/, 'must be a decimal number from 0 to 1', (value) => value <= 1);

export const trueOrFalse = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true');

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, `must be one of ${values.join(', ')}`);
}

/** Several values, separated by commas. */
export function list<Value>(entry: z.ZodType<Value, string>, minimum = 0) {
  return z
    .string()
    .transform(splitList)
    .pipe(z.array(entry).min(minimum, `must list at least ${minimum}, separated by commas`));
}

/** @param parse throws an Error whose message continues the sentence */
export function parsed<Value>(parse: (text: string) => Value) {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue(error instanceof Error ? error.message : String(error));
      return z.NEVER;
    }
  });
}

/** The public address of a deployment; its last path segment is the version of the interface. */
export const baseUrl = url(
  /^https?:$/,
  'must be an http or https address that ends in /v1, such as https://api.example.org/v1',
  (address) => address.pathname.endsWith('/v1'),
);

/** The address of a server, perhaps with a path. */
export const serverUrl = url(
  /^https?:$/,
  'must be an http or https address without user, query and fragment, such as http://localhost:4318',
);

/** The address of a Redis server, or of sentinels with the name of the primary that they watch. */
export const redisUrl = z
  .string()
  .refine(
    (text) => (/^rediss?\+sentinel:/.test(text) ? isSentinelUrl(text) : isRedisUrl(text)),
    'must be redis://USER:PASSWORD@HOST:6379/0, or rediss:// for TLS, or redis+sentinel://USER:PASSWORD@HOST:26379,HOST:26379/NAME/0 with the ' +
      'name that the sentinels know the primary by; user, password, ports and database number may be left out, and special characters of ' +
      'the password are percent-encoded',
  );

/** `*`, or an origin. */
export const origin = z.string().refine((text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text), {
  error: ({ input }) => `must be an origin such as https://shop.example.org, or *; "${String(input)}" is none`,
});

const network = z.union([z.enum(['loopback', 'linklocal', 'uniquelocal']), z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** Fastify's `trustProxy`. */
export const trustProxy = z.union(
  [
    trueOrFalse,
    z
      .string()
      .regex(/^[1-9]\d?$/)
      .transform(Number),
    list(network, 1),
  ],
  'must be false, true, a number of hops from 1 to 99, or a list of addresses, networks (10.0.0.0/8) and "loopback"',
);

/** Headers as `name=value`, separated by commas, values percent-encoded. */
export const headers = parsed((text) => {
  try {
    return Object.fromEntries(splitList(text).map(parseHeader));
  } catch {
    throw new Error('must list headers as name=value, separated by commas, special characters of a value percent-encoded');
  }
});

function number(form: RegExp, error: string, isRight: (value: number) => boolean) {
  return z.string().regex(form, error).transform(Number).refine(isRight, error);
}

function url(protocol: RegExp, error: string, isRight: (address: URL) => boolean = () => true) {
  return z.string().refine((text) => {
    const address = /^\w+:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    if (!address || !protocol.test(address.protocol) || !isRight(address)) return false;
    return !address.search && !address.hash && !address.username && !address.password;
  }, error);
}

function isRedisUrl(text: string): boolean {
  const address = /^rediss?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!address || address.hostname === '' || address.search || address.hash) return false;
  return /^(?:\/\d{0,4})?$/.test(address.pathname) && isPercentEncoded(address.username) && isPercentEncoded(address.password);
}

function isSentinelUrl(text: string): boolean {
  const found = /^rediss?\+sentinel:\/\/(?:(?<user>[^@/]*)@)?(?<hosts>[^/@]+)\/(?<name>[^/?#]+)(?:\/\d{1,4})?$/.exec(text)?.groups;
  const { user = '', hosts = '', name = '' } = found ?? {};
  const areHosts = hosts.split(',').every((host) => isRedisUrl(`redis://${host}`));
  return areHosts && isPercentEncoded(user) && isPercentEncoded(name);
}

function parseHeader(entry: string): [string, string] {
  const end = entry.indexOf('=');
  if (end < 1) throw new Error('it has no value');
  const [name, value] = [entry.slice(0, end).trim(), decodeURIComponent(entry.slice(end + 1).trim())];
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return [name, value];
}

function isPercentEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
