import type { LookupAddress } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, buildConnector, errors } from 'undici';
import { askNameServers, EndpointRules, type EndpointRulesOptions } from './endpoint.js';
import { ExchangeFailedError, failureReason, RefusedEndpointError } from './failure-reason.js';

export interface OutgoingHttpOptions extends Omit<EndpointRulesOptions, 'resolve'> {
  /** Milliseconds for everything from the lookup to the end of the response's body. */
  readonly timeout: number;
  /** Looks names up; by default at the system's name servers. */
  readonly resolve?: EndpointRulesOptions['resolve'];
}

export interface PostRequest {
  /** All headers but `host`, `connection` and `content-length`, which are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Gives the request up; one signal may serve many requests. */
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  /** The header of this name, unparsed. */
  readonly retryAfter?: string;
}

/** What came of a request. */
export type PostOutcome = (
  | ({ readonly kind: 'answered' } & Answer)
  | {
      readonly kind: 'failed';
      /** Why, in plain words for the endpoint's owner. The receiver may have got the message all the same. */
      readonly error: string;
    }
) & { readonly durationMilliseconds: number };

const MAXIMUM_BODY_BYTES = 64 * 1024;
const MAXIMUM_HEAD_BYTES = 16 * 1024;
/** Milliseconds that an idle connection is kept at most; less if the receiver announces less. */
const IDLE_MILLISECONDS = 4_000;
/** Milliseconds until the next address of a name is tried: with Node's own 250 a distant host counts as lost. */
const NEXT_ADDRESS_MILLISECONDS = 1_000;
const STOPPED = 'stopped before an answer';

/**
 * Posts to URLs that others chose, such as those of webhooks, and connects only to the public internet: the URL is checked by itself, and
 * its addresses at each connection. It follows no redirect and uses no proxy. Requests do not wait for each other.
 */
export class OutgoingHttp {
  private readonly rules: EndpointRules;
  private readonly agent: Agent;
  private readonly closing = new AbortController();

  constructor(private readonly options: OutgoingHttpOptions) {
    this.rules = new EndpointRules({ resolve: askNameServers, ...options });
    setMaxListeners(0, this.closing.signal);
    this.agent = new Agent({
      connect: (origin, callback) => void this.connect(origin, callback),
      pipelining: 1,
      maxHeaderSize: MAXIMUM_HEAD_BYTES,
      keepAliveTimeout: IDLE_MILLISECONDS,
      keepAliveMaxTimeout: IDLE_MILLISECONDS,
      // The request has one timeout as a whole.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Returns why a URL may not be sent to, continuing "url …", or undefined if it may. Looks up its name and connects to nothing. */
  async problemWith(url: string): Promise<string | undefined> {
    try {
      await this.rules.resolve(this.rules.parse(url));
      return undefined;
    } catch (error) {
      if (error instanceof RefusedEndpointError) return error.message;
      throw error;
    }
  }

  /**
   * Posts a message, once. A receiver has answered, with whichever status, once all of the response's body or 64 KiB of it have arrived;
   * everything else that it may do is a failure. @throws if a header cannot be sent
   */
  async post(url: string, request: PostRequest): Promise<PostOutcome> {
    const startedAt = performance.now();
    const duration = () => ({ durationMilliseconds: Math.round(performance.now() - startedAt) });
    try {
      const answer = await this.exchange(this.rules.parse(url), request);
      return { kind: 'answered', ...answer, ...duration() };
    } catch (error) {
      if (error instanceof errors.InvalidArgumentError) throw error;
      return { kind: 'failed', error: failureReason(error), ...duration() };
    }
  }

  /** Stops at once: requests in progress fail, and so do those posted from now on. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.agent.destroy();
  }

  /** `AbortSignal.any` keeps 180 bytes for each use with a signal that lives on, and its timeout may never fire (Node 20.20). */
  private async exchange(url: URL, { signal: caller, ...message }: PostRequest): Promise<Answer> {
    const { timeout } = this.options;
    const ending = new AbortController();
    const end = (reason: string) => () => ending.abort(new ExchangeFailedError(reason));
    const [timeOut, giveUp, stop] = [end(`no complete answer within ${timeout / 1_000} s`), end('given up before an answer'), end(STOPPED)];
    const timer = setTimeout(timeOut, timeout);
    const sources = [
      { signal: caller, listener: giveUp },
      { signal: this.closing.signal, listener: stop },
    ];
    for (const { signal, listener } of sources) {
      if (signal) setMaxListeners(0, signal);
      signal?.addEventListener('abort', listener, { once: true });
      if (signal?.aborted) listener();
    }
    try {
      ending.signal.throwIfAborted();
      // undici looks at the signal only once it is connected; then it sends nothing.
      return await Promise.race([aborted(ending.signal), this.send(url, message, ending.signal)]);
    } finally {
      clearTimeout(timer);
      for (const { signal, listener } of sources) signal?.removeEventListener('abort', listener);
    }
  }

  private async send({ origin, pathname, search }: URL, message: Omit<PostRequest, 'signal'>, signal: AbortSignal): Promise<Answer> {
    const request = { origin, path: pathname + search, method: 'POST', ...message, signal, onInfo: assertNoUpgrade } as const;
    const { statusCode, headers, body } = await this.agent.request(request);
    await readBody(body);
    const [retryAfter] = [headers['retry-after']].flat();
    return { status: statusCode, ...(retryAfter !== undefined && { retryAfter: retryAfter.trim() }) };
  }

  /** Connects to one of the addresses that the origin has now, after all of them were checked. */
  private async connect(origin: buildConnector.Options, callback: buildConnector.Callback): Promise<void> {
    try {
      const connector = buildConnector({
        lookup: handOut(await this.rules.resolve(origin)),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MILLISECONDS,
        // The environment could turn it off for the whole process.
        rejectUnauthorized: true,
        maxCachedSessions: 0,
        timeout: this.options.timeout,
        signal: this.closing.signal,
      });
      connector({ ...origin, servername: serverName(origin.hostname) }, callback);
    } catch (error) {
      callback(error as Error, null);
    }
  }
}

/** Gives a socket the addresses that were checked; the name is not looked up again. */
function handOut(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, _options, callback) => callback(null, [...addresses]);
}

/** The name for the certificate: an address is compared as one, and the dot that ends a name is no part of it in TLS. */
function serverName(host: string): string {
  return isIP(host) ? '' : host.replace(/\.$/, '');
}

async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as ExchangeFailedError), { once: true });
  });
}

/** Leaving a body that is too long ends its connection. */
async function readBody(body: Readable): Promise<void> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAXIMUM_BODY_BYTES) return;
  }
}

function assertNoUpgrade({ statusCode }: { readonly statusCode: number }): void {
  if (statusCode === 101) throw new ExchangeFailedError('switched to another protocol unasked');
}
