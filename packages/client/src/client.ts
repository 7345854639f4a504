import { Events } from './events.js';
import { readIdOf, type IdForm, type IdOf } from './integers.js';
import { Orders } from './orders.js';
import { Pets } from './pets.js';
import { Requests } from './requests.js';
import { Webhooks } from './webhooks.js';

export interface ClientOptions<Form extends IdForm> {
  /** Where the service is, such as `https://api.adoption.example`; `/v1` may stand at its end or not. */
  readonly baseUrl: string | URL;
  /** The API key. It is sent to the origin of `baseUrl` alone. */
  readonly key: string;
  /** What ids and other int64 are, in the types too; `bigint` when left out. */
  readonly ids?: Form | undefined;
  /** Milliseconds that all waits of one call to be tried again may take together; 60,000 when left out, 0 to try once. */
  readonly maxWait?: number | undefined;
  /** In place of the global one. */
  readonly fetch?: typeof fetch | undefined;
  /** Told, once, of an operation that is deprecated; the console when left out. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export interface Client<Id> {
  readonly pets: Pets<Id>;
  readonly orders: Orders<Id>;
  readonly events: Events<Id>;
  readonly webhooks: Webhooks<Id>;
}

const DEFAULT_MAX_WAIT = 60_000;
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
  fetch = (...request) => globalThis.fetch(...request),
  // eslint-disable-next-line no-console -- a developer who has not said otherwise looks there
  onWarning = (message) => console.warn(message),
}: ClientOptions<Form>): Client<IdOf<Form>> {
  // Its value stays out of the message.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('The key is a text of printable characters without spaces.');
  if (!(maxWait >= 0 && maxWait <= GREATEST_WAIT)) throw new RangeError(`maxWait is 0 to ${GREATEST_WAIT} milliseconds.`);
  const requests = new Requests({ baseUrl: baseAddress(baseUrl), key, maxWait, fetch, warn: onWarning, readId: readIdOf(ids) });
  return {
    pets: new Pets(requests),
    orders: new Orders(requests),
    events: new Events(requests),
    webhooks: new Webhooks(requests),
  };
}

function baseAddress(given: string | URL): string {
  const { protocol, origin, pathname, search, hash, username } = new URL(given);
  if (!/^https?:$/.test(protocol) || search || hash || username) {
    throw new TypeError('baseUrl is an http or https address without credentials, query and fragment.');
  }
  const path = pathname.replace(/\/+$/, '');
  return `${origin}${path}${path.endsWith('/v1') ? '' : '/v1'}`;
}
