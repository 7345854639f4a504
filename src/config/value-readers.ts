import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isIP } from 'node:net';

/** Turns the text of a variable into its value. @throws Error whose message goes on from the variable's name. */
export type ValueReader<Value> = (text: string) => Value;

export const readText: ValueReader<string> = (text) => text;

/** A whole number in plain decimal digits. */
export function integer(minimum: number, maximum: number): ValueReader<number> {
  return (text) => {
    const value = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
  };
}

/** What `read` makes of a text; undefined where nothing is given. */
export function optional<Value>(read: ValueReader<Value>): ValueReader<Value | undefined> {
  return (text) => (text === '' ? undefined : read(text));
}

/** What `read` makes of a text; undefined for `off`. */
export function unlessOff<Value>(read: ValueReader<Value>): ValueReader<Value | undefined> {
  return (text) => {
    if (text === 'off') return undefined;
    try {
      return read(text);
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}, or off`, { cause: error });
    }
  };
}

/** `true` or `false`; undefined where nothing is given. */
export const readSwitch: ValueReader<boolean | undefined> = (text) => {
  if (text === '') return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error('must be true or false');
};

/** Seconds in plain decimal digits, as milliseconds. */
export function seconds(minimum: number, maximum: number): ValueReader<number> {
  const readSeconds = integer(minimum, maximum);
  return (text) => readSeconds(text) * 1_000;
}

/** Minutes above 0 as a decimal number, as milliseconds, at least one. */
export function minutes(maximum: number): ValueReader<number> {
  return (text) => {
    const value = /^(?:0|[1-9]\d{0,15})(?:\.\d{1,15})?$/.test(text) ? Number(text) : NaN;
    if (value > 0 && value <= maximum) return Math.max(1, Math.round(value * 60_000));
    throw new Error(`must be a decimal number above 0 and up to ${maximum}`);
  };
}

/** Hours in plain decimal digits, as milliseconds. */
export function hours(minimum: number, maximum: number): ValueReader<number> {
  const readHours = integer(minimum, maximum);
  return (text) => readHours(text) * 3_600_000;
}

/** Seconds from 1 on, separated by commas, at least one; as milliseconds. */
export function secondsList(maximum: number): ValueReader<number[]> {
  const readOne = seconds(1, maximum);
  return (text) => {
    try {
      return text.split(',').map((entry) => readOne(entry.trim()));
    } catch {
      throw new Error(`must list whole numbers from 1 to ${maximum}, separated by commas`);
    }
  };
}

export function oneOf<Value extends string>(values: readonly Value[]): ValueReader<Value> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value !== undefined) return value;
    throw new Error(`must be one of ${values.join(', ')}`);
  };
}

/** The public base address of a deployment; its last path segment is the version of the interface. */
export const readBaseUrl: ValueReader<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const right = url && /^https?:$/.test(url.protocol) && url.pathname.endsWith('/v1') && !url.search && !url.hash && !url.username;
  if (!right) throw new Error('must be an http or https address that ends in /v1, such as https://api.example.org/v1');
  return text;
};

/** The address of a server, perhaps with a path. The message never repeats it. */
export const readUrl: ValueReader<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:\/\//i.test(text) && !url.search && !url.hash && !url.username && !url.password) return text;
  throw new Error('must be an http or https address without user, query and fragment, such as http://localhost:4318');
};

/** Headers as `name=value`, separated by commas, values percent-encoded. The message never repeats them. */
export const readHeaders: ValueReader<Record<string, string>> = (text) => {
  try {
    return Object.fromEntries(splitList(text).map(readHeader));
  } catch {
    throw new Error('must list headers as name=value, separated by commas, special characters of a value percent-encoded');
  }
};

/** A decimal number from 0 to 1. */
export const readRatio: ValueReader<number> = (text) => {
  if (/^(?:0(?:\.\d{1,15})?|1(?:\.0{1,15})?)$/.test(text)) return Number(text);
  throw new Error('must be a decimal number from 0 to 1');
};

/** `*`, or origins separated by commas; empty for none. */
export const readOrigins: ValueReader<string[]> = (text) => {
  const origins = splitList(text);
  const wrong = origins.find((origin) => origin !== '*' && !isOrigin(origin));
  if (wrong !== undefined) {
    throw new Error(`must list origins such as https://shop.example.org, separated by commas; "${wrong}" is none`);
  }
  return origins;
};

/** Ports separated by commas; empty for none. */
export const readPorts: ValueReader<number[]> = (text) => {
  const readPort = integer(1, 65_535);
  try {
    return splitList(text).map(readPort);
  } catch {
    throw new Error('must list ports from 1 to 65535, separated by commas, such as 9443,10443');
  }
};

/** Fastify's `trustProxy`: false, true, a number of hops, or addresses, networks and `loopback` separated by commas. */
export const readTrustProxy: ValueReader<boolean | number | string[]> = (text) => {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  const entries = splitList(text);
  if (entries.length > 0 && entries.every(isAddressOrNetwork)) return entries;
  throw new Error('must be false, true, a number of hops from 1 to 99, or a list of addresses, networks (10.0.0.0/8) and "loopback"');
};

const REDIS_SENTINELS = /^rediss?\+sentinel:/;

/** Sentinels separated by commas, and the name of what they watch. */
function readSentinelUrl(text: string): string {
  const found = /^rediss?\+sentinel:\/\/(?:(?<user>[^@/]*)@)?(?<hosts>[^/@]+)\/(?<name>[^/?#]+)(?:\/\d{1,4})?$/.exec(text)?.groups;
  const { user = '', hosts = '', name = '' } = found ?? {};
  const areAddresses = hosts.split(',').every((host) => URL.canParse(`redis://${host}`) && new URL(`redis://${host}`).hostname !== '');
  if (found && areAddresses && isPercentEncoded(user) && isPercentEncoded(name)) return text;
  throw new Error(
    'must be redis+sentinel://USER:PASSWORD@HOST:26379,HOST:26379/NAME/0 with the name that the sentinels know the primary by, or ' +
      'rediss+sentinel:// for TLS; user, password, ports and database number may be left out',
  );
}

/** The address of a Redis server. The message never repeats it, since it may hold a password. */
export const readRedisUrl: ValueReader<string> = (text) => {
  if (REDIS_SENTINELS.test(text)) return readSentinelUrl(text);
  const url = /^rediss?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const right = url && url.hostname !== '' && /^(?:\/\d{0,4})?$/.test(url.pathname) && !url.search && !url.hash;
  if (right && isPercentEncoded(url.username) && isPercentEncoded(url.password)) return text;
  throw new Error(
    'must be redis://USER:PASSWORD@HOST:6379/0, or rediss:// for TLS, or redis+sentinel://HOST:26379,HOST:26379/NAME; user, password, port and database number may be left out, ' +
      'and special characters of the password are percent-encoded',
  );
};

export const readKeyPrefix: ValueReader<string> = (text) => {
  if (/^[\x21-\x7e]{1,100}$/.test(text)) return text;
  throw new Error('must be 1 to 100 printable ASCII characters without spaces, such as adoption:');
};

function readHeader(entry: string): [string, string] {
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

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function isAddressOrNetwork(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
