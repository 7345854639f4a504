import { AdoptionError, errorOf, networkError, timeoutError } from './adoption-error.js';
import { conditionHeaders, rememberEtag, type AddOptions, type CallOptions, type Conditions } from './conditions.js';
import { Deadline } from './deadline.js';
import { rateLimitIn, type Hooks } from './hooks.js';
import { readJson, writeJson, type ReadId } from './integers.js';
import { nextQuery, pagesOf, type Pages } from './pages.js';
import { Retries } from './retries.js';

export interface PageOptions extends CallOptions {
  /** The size of a page, 1 to 100. Default: 20. Further pages are requested as needed. */
  readonly limit?: number | undefined;
}

/** The options of a list that can be turned round. */
export interface ListOptions extends PageOptions {
  /** The order of ids, or of times with a filter by time: `asc` unless given; `desc` begins with the newest. */
  readonly order?: 'asc' | 'desc' | undefined;
}

export interface RotateOptions extends CallOptions {
  /** How long the previous secret works too: a whole number and a unit, such as `90m`; 24 hours unless given. */
  readonly grace?: string | undefined;
}

/** Query parameters: undefined ones are omitted, several values of one are separated by commas. */
export type Query = Readonly<Record<string, string | number | bigint | boolean | Date | readonly string[] | undefined>>;

/** A request of one operation. */
export interface Call extends CallOptions, Conditions {
  readonly method?: string;
  /** With the version, such as `/v1/pets`. */
  readonly path: string;
  readonly query?: Query | URLSearchParams;
  readonly body?: object;
  /** The serialized body, instead of `body`. */
  readonly json?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** As in `Attempt`. Default: true. */
  readonly isRepeatable?: boolean;
}

/** A list whose items are counted, narrowed by filters. */
interface CountCall extends CallOptions {
  readonly path: string;
  readonly query: Query;
}

/** A request as each attempt sends it, without the key. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

export interface Settings<Id> extends Hooks {
  /** Without a slash at its end, and without the version. */
  readonly baseUrl: string;
  readonly key: string;
  /** Milliseconds. */
  readonly maxWait: number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly fetch: typeof fetch;
  readonly warn: (message: string) => void;
  readonly readId: ReadId<Id>;
}

export interface Answer<Body> {
  readonly status: number;
  /** Undefined if there is none. */
  readonly body: Body;
  readonly headers: Headers;
}

/** Makes a body of the text of a response. */
type Read = (text: string, response: Response) => unknown;

const REFUSED_REDIRECT = 'The service responded with a redirect, which the client does not follow, so that the key is sent nowhere else.';
const NOT_MODIFIED = 304;
const NO_CONTENT = 204;

/** Sends requests to one service with one key, which stays in private members, out of what is printed and serialized. */
export class Requests<Id> {
  readonly #settings: Settings<Id>;
  #hasWarned = false;

  constructor(settings: Settings<Id>) {
    this.#settings = settings;
  }

  get readId(): ReadId<Id> {
    return this.#settings.readId;
  }

  /**
   * Sends it, again where that may help, and reads the answer.
   * @throws AdoptionError when it is refused or cannot be had in time
   */
  async send<Body>(call: Call, read: Read = (text, response) => this.parse(text, response)): Promise<Answer<Body>> {
    const { signal, isRepeatable = true } = call;
    const request = this.prepare(call);
    const retries = this.retriesOf(request);
    signal?.throwIfAborted();
    for (;;) {
      try {
        const { status, headers, body } = await this.#attempt(request, retries.attempt, read, signal);
        // The type of the body is what the document says of the operation.
        return { status, headers, body: body as Body };
      } catch (error) {
        await retries.waitAfter(error, { signal, isRepeatable });
      }
    }
  }

  /** Sends it and gives the body of the answer. */
  async read<Body>(call: Call): Promise<Body> {
    return (await this.send<Body>(call)).body;
  }

  /** The pages one after another, each requested when it is needed. Only the query of a link to the next one is used. */
  pages<Item>(call: Call): Pages<Item> {
    return pagesOf(() => this.#iterate<Item>(call));
  }

  /** Counts the items on all pages of a list, without reading them. @throws AdoptionError if the response has no count */
  async count({ path, query, signal }: CountCall): Promise<number> {
    const { status, headers } = await this.send({ path, query: { ...query, limit: 1, total: true }, signal });
    const total = headers.get('X-Total-Count');
    if (total !== null) return Number(total);
    throw new AdoptionError({ status, headers, code: 'unreadable_answer', message: 'The response has no header X-Total-Count.' });
  }

  /** Makes something new: under one key, however often it is sent. */
  async add<Body>(path: string, body: object, options: CallOptions | AddOptions = {}): Promise<Body> {
    return this.read<Body>({ method: 'POST', path, body, idempotencyKey: randomKey(), ...options });
  }

  /** The request that all attempts of a call send. @throws TypeError for a value that no request can carry */
  prepare({ method = 'GET', path, query = {}, body, json = body && writeJson(body), headers, ...conditions }: Call): Outgoing {
    const search = (query instanceof URLSearchParams ? query : new URLSearchParams(given(query))).toString();
    const all = new Headers({ Accept: 'application/json', ...conditionHeaders(conditions) });
    if (json !== undefined) all.set('Content-Type', 'application/json');
    for (const [name, value] of Object.entries(given(headers ?? {}))) all.set(name, value);
    all.delete('Authorization');
    return { method, url: `${this.#settings.baseUrl}${path}${search && '?'}${search}`, headers: all, body: json };
  }

  /** The attempts of a call. */
  retriesOf({ method, url }: Pick<Outgoing, 'method' | 'url'>): Retries {
    const { maxWait, onRetry } = this.#settings;
    return new Retries(maxWait, (failed) => onRetry?.({ method, url, ...failed }));
  }

  /** Sends it once. The deadline of an attempt begins with it. @throws AdoptionError for any answer but success and 304 */
  async open(request: Outgoing, attempt: number, deadline: Deadline): Promise<Response> {
    const { timeout, onRequest, onResponse } = this.#settings;
    const { method, url } = request;
    onRequest?.({ method, url, headers: new Headers(request.headers), attempt });
    deadline.set(timeout, timeoutError(timeout));
    const response = await this.#fetch(request, deadline.signal);
    const { status, headers } = response;
    onResponse?.({ method, url, attempt, status, headers: new Headers(headers), rateLimit: rateLimitIn(headers) });
    this.#warnOfDeprecation(method, url, headers);
    if (response.ok || status === NOT_MODIFIED) return response;
    const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
    if (!isRedirect) throw await errorOf(response);
    await response.body?.cancel();
    throw new AdoptionError({ status, headers, code: 'redirect_refused', message: REFUSED_REDIRECT });
  }

  /** Parses a response. @throws AdoptionError unless it is JSON */
  parse(text: string, { status, headers }: Pick<Response, 'status'> & { readonly headers?: Headers }): unknown {
    try {
      return readJson(text, this.#settings.readId);
    } catch (cause) {
      const message = 'The response is not JSON, or it is cut short.';
      throw new AdoptionError({ status, ...(headers && { headers }), code: 'unreadable_answer', message, cause });
    }
  }

  async *#iterate<Item>(call: Call): AsyncGenerator<Item, void> {
    for (let query: Call['query'] = call.query ?? {}; query;) {
      const { body, headers }: Answer<readonly Item[]> = await this.send({ ...call, query });
      yield* body;
      query = nextQuery(headers.get('Link') ?? '');
    }
  }

  async #fetch({ method, url, headers: others, body }: Outgoing, signal: AbortSignal): Promise<Response> {
    const headers = new Headers(others);
    headers.set('Authorization', `Bearer ${this.#settings.key}`);
    const init: RequestInit = { method, headers, redirect: 'manual', credentials: 'omit', signal };
    try {
      return await this.#settings.fetch(url, body === undefined ? init : { ...init, body });
    } catch (cause) {
      throw lostError(cause, signal);
    }
  }

  async #attempt(request: Outgoing, attempt: number, read: Read, caller: AbortSignal | undefined): Promise<Answer<unknown>> {
    const deadline = new Deadline(caller);
    try {
      const response = await this.open(request, attempt, deadline);
      const { status, headers } = response;
      const text = await response.text().catch((cause: unknown) => {
        throw lostError(cause, deadline.signal);
      });
      const body = status === NO_CONTENT || status === NOT_MODIFIED ? undefined : read(text, response);
      rememberEtag(body, headers);
      return { status, headers, body };
    } finally {
      deadline.end();
    }
  }

  #warnOfDeprecation(method: string, url: string, headers: Headers): void {
    if (this.#hasWarned || !headers.has('Deprecation')) return;
    this.#hasWarned = true;
    const sunset = headers.get('Sunset');
    this.#settings.warn(`${method} ${new URL(url).pathname} is deprecated${sunset === null ? '' : ` and ends on ${sunset}`}.`);
  }
}

/** The error of a connection that was lost, or was ended since its time was over. */
export function lostError(cause: unknown, { reason }: AbortSignal): AdoptionError {
  return reason instanceof AdoptionError ? reason : networkError(cause);
}

/** The values that are not undefined as texts. @throws RangeError for a `Date` that is not valid */
function given(values: Query): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]])));
}

function textOf(value: NonNullable<Query[string]>): string {
  return typeof value === 'object' && 'toISOString' in value ? value.toISOString() : String(value);
}

/** `crypto.randomUUID` exists only in secure contexts. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
