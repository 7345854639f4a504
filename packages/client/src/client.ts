import { Events } from './events.js';
import type { Hooks } from './hooks.js';
import { readIdOf, type IdForm, type IdOf } from './integers.js';
import { Keys } from './keys.js';
import { Orders } from './orders.js';
import { OwnKey } from './own-key.js';
import { Pets } from './pets.js';
import { sendRaw, type RawRequestOptions, type RawResponse } from './raw-request.js';
import { Requests } from './requests.js';
import { Webhooks } from './webhooks.js';

export interface ClientOptions<Form extends IdForm> extends Hooks {
  /** Where the service is, such as `https://api.adoption.example`; `/v1` may stand at its end or not. */
  readonly baseUrl: string | URL;
  /** The API key. It is sent only to the origin of `baseUrl`, and never printed. */
  readonly key: string;
  /** The type of ids and other int64, also in the types. Default: `bigint`. */
  readonly ids?: Form | undefined;
  /** Maximum total milliseconds of waits for retries of one call. Default: 60,000. 0: no retry. */
  readonly maxWait?: number | undefined;
  /** Timeout of each attempt in milliseconds, for its whole response; of a stream, for its begin. Default: 30,000. */
  readonly timeout?: number | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Called once, when `request` names a deprecated operation. Default: a warning on the console. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export interface Client<Id> {
  readonly pets: Pets<Id>;
  readonly orders: Orders<Id>;
  readonly events: Events<Id>;
  readonly webhooks: Webhooks<Id>;
  /** The key of the client itself. */
  readonly key: OwnKey<Id>;
  readonly keys: Keys<Id>;
  /**
   * Sends a request of any operation, such as `request('GET', '/v1/pets')`. It is tried again, refused and read as all others are; one that
   * would do more when it is done twice (POST and PATCH without an `Idempotency-Key` header) only after 429.
   */
  request(method: string, path: string, options?: RawRequestOptions): Promise<RawResponse>;
}

const DEFAULT_MAX_WAIT = 60_000;
const DEFAULT_TIMEOUT = 30_000;
/** What timers hold. */
const GREATEST_WAIT = 2 ** 31 - 1;

/**
 * A client of one service with one key.
 * @throws TypeError or RangeError for an option that is not right
 */
export function createClient<Form extends IdForm = 'bigint'>({
  baseUrl,
  key,
  ids,
  maxWait = DEFAULT_MAX_WAIT,
  timeout = DEFAULT_TIMEOUT,
  fetch = (...request) => globalThis.fetch(...request),
  // eslint-disable-next-line no-console -- a developer who has not said otherwise looks there
  onWarning = (message) => console.warn(message),
  ...hooks
}: ClientOptions<Form>): Client<IdOf<Form>> {
  assertKey(key);
  if (!(maxWait >= 0 && maxWait <= GREATEST_WAIT)) throw new RangeError(`maxWait must be 0 to ${GREATEST_WAIT} milliseconds.`);
  if (!(timeout >= 1 && timeout <= GREATEST_WAIT)) throw new RangeError(`timeout must be 1 to ${GREATEST_WAIT} milliseconds.`);
  const settings = { ...hooks, baseUrl: baseAddress(baseUrl), key, maxWait, timeout, fetch, warn: onWarning, readId: readIdOf(ids) };
  const requests = new Requests(settings);
  return {
    pets: new Pets(requests),
    orders: new Orders(requests),
    events: new Events(requests),
    webhooks: new Webhooks(requests),
    key: new OwnKey(requests),
    keys: new Keys(requests),
    request: (method, path, options = {}) => sendRaw(requests, method, path, options),
  };
}

/** Its value stays out of the message. */
function assertKey(key: unknown): void {
  if (typeof key === 'string' && /^[\x21-\x7e]+$/.test(key)) return;
  const given = typeof key !== 'string' ? typeof key : key === '' ? 'an empty string' : 'a string with other characters';
  throw new TypeError(`key must be the API key, a string of printable characters without spaces; it is ${given}.`);
}

/** Without the version, which is part of each path. */
function baseAddress(given: string | URL): string {
  const { protocol, origin, pathname, search, hash, username } = new URL(given);
  if (!/^https?:$/.test(protocol) || search || hash || username) {
    throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment.');
  }
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}`;
}
