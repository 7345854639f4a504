import { AdoptionError, errorOf, networkError } from './adoption-error.js';
import { int64Text, readJson, writeJson, type ReadId } from './integers.js';
import { Patience } from './patience.js';

export interface CallOptions {
  /** Ends the call at once, also while it waits; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions extends CallOptions {
  /** Refuses with 412 what has another entity tag. */
  readonly ifMatch?: string | undefined;
  /** Gives undefined where this entity tag still holds. */
  readonly ifNoneMatch?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** Changes nothing, and rejects with 412, where another entity tag holds. */
  readonly ifMatch?: string | undefined;
}

export interface AddOptions extends CallOptions {
  /** What makes it the same addition, however often it is sent; one of its own when left out. */
  readonly idempotencyKey?: string | undefined;
}

export interface PageOptions extends CallOptions {
  /** How many a page has, 1 to 100; 20 when left out. There are as many pages as it takes. */
  readonly limit?: number | undefined;
}

/** Parameters of a query; those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/** A request of one operation. */
export interface Call extends ReadOptions, AddOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address. */
  readonly path: string;
  readonly query?: Query | URLSearchParams;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** As in `Attempt`; true when left out. */
  readonly isRepeatable?: boolean;
}

export interface Settings<Id> {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  /** Milliseconds. */
  readonly maxWait: number;
  readonly fetch: typeof fetch;
  readonly warn: (message: string) => void;
  readonly readId: ReadId<Id>;
}

export interface Answer<Body> {
  /** Undefined where there is none. */
  readonly body: Body;
  readonly headers: Headers;
}

const REFUSED_REDIRECT = 'The service answered with a redirect, which is not followed, so that the key goes nowhere else.';
const NOT_MODIFIED = 304;
const NO_CONTENT = 204;

const etags = new WeakMap<object, string>();

/** The entity tag with which this animal, order or other answer came, for `ifMatch` and `ifNoneMatch`; undefined for what stands in a page. */
export function etagOf(answer: object): string | undefined {
  return etags.get(answer);
}

/** Sends requests to one service with one key. */
export class Requests<Id> {
  private hasWarned = false;

  constructor(readonly settings: Settings<Id>) {}

  /**
   * Sends it, again where that may help, and reads the answer.
   * @throws AdoptionError when it is refused or cannot be had in time
   */
  async send<Body>(call: Call): Promise<Answer<Body>> {
    const { signal, isRepeatable = true } = call;
    const { url, init } = this.requestOf(call);
    const patience = new Patience(this.settings.maxWait);
    signal?.throwIfAborted();
    for (;;) {
      try {
        return await this.attempt<Body>(url, init);
      } catch (error) {
        await patience.outlast(error, { signal, isRepeatable });
      }
    }
  }

  /** Sends it and gives the body of the answer. */
  async read<Body>(call: Call): Promise<Body> {
    return (await this.send<Body>(call)).body;
  }

  /** The pages one after another, each asked for when it is needed. Of a link to the next one the query alone is taken. */
  pages<Item>(call: Call): AsyncIterable<Item> {
    return { [Symbol.asyncIterator]: () => this.iterate<Item>(call) };
  }

  /** Makes something new: under one key, however often it is sent. */
  add<Body>(path: string, body: object, { idempotencyKey = randomKey(), signal }: AddOptions = {}): Promise<Body> {
    return this.read<Body>({ method: 'POST', path, body, idempotencyKey, signal });
  }

  /** The request as fetch takes it. @throws TypeError for a value that no request can carry */
  requestOf({ method = 'GET', path, query = {}, body, headers, signal, ...conditions }: Call): {
    readonly url: string;
    readonly init: RequestInit;
  } {
    const { baseUrl, key } = this.settings;
    const { ifMatch, ifNoneMatch, idempotencyKey } = conditions;
    const search = (query instanceof URLSearchParams ? query : new URLSearchParams(given(query))).toString();
    const all = {
      Accept: 'application/json',
      Authorization: `Bearer ${key}`,
      'Content-Type': body && 'application/json',
      'Idempotency-Key': idempotencyKey,
      'If-Match': ifMatch,
      'If-None-Match': ifNoneMatch,
      ...headers,
    };
    return {
      url: `${baseUrl}${path}${search && '?'}${search}`,
      init: {
        method,
        headers: new Headers(given(all)),
        redirect: 'manual',
        credentials: 'omit',
        ...(body && { body: writeJson(body) }),
        ...(signal && { signal }),
      },
    };
  }

  /** Sends it once. @throws AdoptionError for any answer but success and 304 */
  async open(url: string, init: RequestInit): Promise<Response> {
    const response = await this.fetch(url, init);
    const { status, headers } = response;
    this.warnOfDeprecation(init.method ?? 'GET', url, headers);
    if (response.ok || status === NOT_MODIFIED) return response;
    const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400);
    if (!isRedirect) throw await errorOf(response);
    await response.body?.cancel();
    throw new AdoptionError({ status, headers, code: 'redirect_refused', message: REFUSED_REDIRECT });
  }

  /** What an answer says. @throws AdoptionError where it is no JSON */
  parse(text: string, status: number, headers?: Headers): unknown {
    try {
      return readJson(text, this.settings.readId);
    } catch (cause) {
      const message = 'The answer is no JSON, or not all of it.';
      throw new AdoptionError({ status, ...(headers && { headers }), code: 'unreadable_answer', message, cause });
    }
  }

  private async *iterate<Item>(call: Call): AsyncGenerator<Item, void> {
    for (let query: Call['query'] = call.query ?? {}; query;) {
      const { body, headers }: Answer<readonly Item[]> = await this.send({ ...call, query });
      yield* body;
      query = nextQuery(headers.get('Link'));
    }
  }

  private async fetch(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.settings.fetch(url, init);
    } catch (cause) {
      throw networkError(cause);
    }
  }

  private async attempt<Body>(url: string, init: RequestInit): Promise<Answer<Body>> {
    const response = await this.open(url, init);
    const { status, headers } = response;
    const text = await response.text().catch((cause: unknown) => {
      throw networkError(cause);
    });
    // The type of the body is what the document says of the operation.
    const body = (status === NO_CONTENT || status === NOT_MODIFIED ? undefined : this.parse(text, status, headers)) as Body;
    const etag = headers.get('ETag');
    if (etag !== null && typeof body === 'object' && body !== null) etags.set(body, etag);
    return { body, headers };
  }

  private warnOfDeprecation(method: string, url: string, headers: Headers): void {
    if (this.hasWarned || !headers.has('Deprecation')) return;
    this.hasWarned = true;
    const sunset = headers.get('Sunset');
    this.settings.warn(`${method} ${new URL(url).pathname} is deprecated${sunset === null ? '' : ` and ends on ${sunset}`}.`);
  }
}

/** The path of one of several by its id. @throws TypeError where it is no int64 */
export function pathOf(collection: string, id: unknown): string {
  return `${collection}/${int64Text(id)}`;
}

function given<Value>(values: Readonly<Record<string, Value | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));
}

/** RFC 8288: the query of the link to the next page. */
function nextQuery(link: string | null): URLSearchParams | undefined {
  const target = /<([^>]*)>[^,<]*;\s*rel="?next\b/.exec(link ?? '')?.[1];
  return target === undefined ? undefined : new URLSearchParams(/\?[^#]*/.exec(target)?.[0] ?? '');
}

/** `crypto.randomUUID` is there in secure contexts alone. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
