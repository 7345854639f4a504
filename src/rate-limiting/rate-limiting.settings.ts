import { z } from 'zod';
import { integer, list, seconds, setting, type Setting, type SettingValues } from '#libs/http';
import { isRedisUrl } from './store/redis/redis-url.js';
import { MAX_LIMIT, WINDOWS, type WindowLimit, type WindowName } from '../auth/index.js';

const YEAR_SECONDS = 31_536_000;

/** The address of a Redis server, or of sentinels with the name of the primary that they watch. */
const redisUrl = z
  .string()
  .refine(
    isRedisUrl,
    'must be redis://USER:PASSWORD@HOST:6379/0, or rediss:// for TLS, or redis+sentinel://USER:PASSWORD@HOST:26379,HOST:26379/NAME/0 with the ' +
      'name that the sentinels know the primary by; user, password, ports and database number are optional, and special characters of ' +
      'the password are percent-encoded',
  );

const keyPrefix = z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 printable ASCII characters without spaces, such as adoption:');

/** The limits that no plan sets, and the store of their counters. Times are in milliseconds. */
export const rateLimitSettings = {
  ...addressLimits('anonymous', 'ANONYMOUS', (name) => `Requests without a valid key from one address per ${name}`),
  ...addressLimits('open', 'PUBLIC', (name, index) => {
    const examples = index === 0 ? ', such as `/docs` and `/openapi.json`' : '';
    return `Requests from one address per ${name} to public paths${examples}`;
  }),
  banAfter: setting('BAN_AFTER', integer(0, 1_000_000), {
    default: '10',
    description: 'Rejections per minute that do not ban a key yet; 0 turns bans off',
  }),
  banGrace: setting('BAN_GRACE_SECONDS', seconds(0, 60), {
    default: '2',
    description: 'Seconds after the first rejection of a minute in which rejections do not count',
  }),
  banLadder: setting('BAN_LADDER_SECONDS', list(seconds(1, YEAR_SECONDS), 1), {
    default: '60,300,900,3600',
    description: 'How long the first, second, … ban lasts; the last repeats',
  }),
  createBurstPerSecond: setting('CREATE_BURST_PER_SECOND', integer(0, 1_000_000), {
    default: '0',
    description: 'Animals that one key may add per second; 0 for no such limit',
  }),
  redisUrl: setting('REDIS_URL', redisUrl, {
    description:
      'Redis for the request counters that several instances share: `redis://USER:PASSWORD@HOST:6379/0`, `rediss://` for TLS, or ' +
      '`redis+sentinel://HOST:26379,HOST:26379/NAME`',
  }),
  redisKeyPrefix: setting('REDIS_KEY_PREFIX', keyPrefix, {
    default: 'adoption:',
    description: 'Prefix of all keys in Redis; use a different one for each deployment',
  }),
};

export type RateLimitSettings = SettingValues<typeof rateLimitSettings>;

/** Declares a limit of client addresses for each window. */
function addressLimits<Kind extends 'anonymous' | 'open'>(
  kind: Kind,
  prefix: string,
  describe: (name: WindowName, index: number) => string,
) {
  const limits = WINDOWS.map((window, index) => {
    const variable = `${prefix}_REQUESTS_PER_${window.name.toUpperCase()}`;
    return [
      `${kind} ${window.name}`,
      setting(variable, integer(1, MAX_LIMIT), { default: `${window[kind]}`, description: describe(window.name, index) }),
    ];
  });
  return Object.fromEntries(limits) as Record<`${Kind} ${WindowName}`, Setting<number>>;
}

/** Returns the limits of client addresses. */
export function readAddressLimits(settings: RateLimitSettings, kind: 'anonymous' | 'open'): readonly WindowLimit[] {
  return WINDOWS.map(({ name, seconds: length }) => ({ name, seconds: length, limit: settings[`${kind} ${name}`] }));
}
