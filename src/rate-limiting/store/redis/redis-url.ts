import type { RedisOptions } from 'ioredis';

const SERVER_URL = /^rediss?:\/\//;
const SENTINEL_URL = /^redis(?<tls>s)?\+sentinel:\/\/(?:(?<user>[^@/]*)@)?(?<hosts>[^/@]+)\/(?<name>[^/?#]+)(?:\/(?<db>\d{1,4}))?$/;
const SENTINEL_PORT = 26_379;

/** Whether a text is the address of a Redis server, or of sentinels with the name of the primary that they watch. */
export function isRedisUrl(text: string): boolean {
  const { user = '', hosts, name = '' } = SENTINEL_URL.exec(text)?.groups ?? {};
  if (hosts !== undefined) return hosts.split(',').every((host) => isServerUrl(`redis://${host}`)) && [user, name].every(isPercentEncoded);
  return isServerUrl(text);
}

function isServerUrl(text: string): boolean {
  const address = SERVER_URL.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (!address || address.hostname === '' || address.search || address.hash) return false;
  return /^(?:\/\d{0,4})?$/.test(address.pathname) && [address.username, address.password].every(isPercentEncoded);
}

function isPercentEncoded(text: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(text);
}

/** Parses the URL of sentinels, which are asked for the primary at each connection; undefined for the URL of a server. */
export function parseSentinels(url: string): RedisOptions | undefined {
  const found = SENTINEL_URL.exec(url)?.groups;
  if (!found) return undefined;
  const { tls, user = '', hosts = '', name = '', db = '0' } = found;
  const [username, password] = user.split(':').map(decodeURIComponent);
  return {
    sentinels: hosts.split(',').map((host) => {
      const { hostname, port } = new URL(`redis://${host}`);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || SENTINEL_PORT) };
    }),
    name: decodeURIComponent(name),
    db: Number(db),
    ...(username && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {}, enableTLSForSentinelMode: true }),
  };
}
