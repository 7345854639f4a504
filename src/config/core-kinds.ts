import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import { integer, list, oneOf, parsed, splitList, trueOrFalse } from '#libs/http';

export const port = integer(0, 65_535);
export const portOrOff = z.union([z.literal('off').transform(() => undefined), port], 'must be a whole number from 0 to 65535, or off');
export const onOrOff = oneOf(['on', 'off']).transform((value) => value === 'on');

export const ratio = z
  .string()
  .regex(/^(?:0(?:\.\d{1,15})?|1(?:\.0{1,15})?)$/, 'must be a decimal number from 0 to 1')
  .transform(Number);

/** The public address of a deployment; its last path segment is the version of the interface. */
export const baseUrl = url(/\/v1$/, 'must be an http or https address that ends in /v1, such as https://api.example.org/v1');

/** The address of a server, perhaps with a path. */
export const serverUrl = url(/^/, 'must be an http or https address without user, query and fragment, such as http://localhost:4318');

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

function url(path: RegExp, error: string) {
  return z.string().refine((text) => {
    const address = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    if (!address || !path.test(address.pathname)) return false;
    return !address.search && !address.hash && !address.username && !address.password;
  }, error);
}

function parseHeader(entry: string): [string, string] {
  const end = entry.indexOf('=');
  if (end < 1) throw new Error('it has no value');
  const [name, value] = [entry.slice(0, end).trim(), decodeURIComponent(entry.slice(end + 1).trim())];
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return [name, value];
}
