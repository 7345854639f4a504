import type { LookupAddress } from 'node:dns';
import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, errors, type Dispatcher } from 'undici';
import { askNameServers, EndpointRules, RefusedEndpointError, type EndpointRulesOptions } from './endpoint.js';

export interface OutgoingHttpOptions extends Omit<EndpointRulesOptions, 'resolve'> {
  /** Milliseconds for everything from the lookup to the end of the response's head. */
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

/** What came of a request: the status of the answer, or why there was none. */
export interface PostOutcome {
  readonly status?: number;
  /** The header of this name, unparsed. */
  readonly retryAfter?: string | undefined;
  /** In plain words for the endpoint's owner. The receiver may have got the message anyway. */
  readonly error?: string;
  readonly durationMilliseconds: number;
}

type Answer = Pick<PostOutcome, 'status' | 'retryAfter'>;

/** Why a request was given up, in words for the endpoint's owner. */
class ExchangeFailedError extends Error {}

const MAX_BODY_BYTES = 64 * 1024;
/** Milliseconds that a response's body has after its head. */
const BODY_MILLISECONDS = 1_000;
const MAX_HEAD_BYTES = 16 * 1024;
/** Milliseconds that an idle connection is kept at most; less if the receiver announces less. */
const IDLE_MILLISECONDS = 4_000;
/** Milliseconds until the next address of a name is tried: with Node's own 250 a distant host counts as lost. */
const NEXT_ADDRESS_MILLISECONDS = 1_000;

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
      maxHeaderSize: MAX_HEAD_BYTES,
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
   * Posts a message, once. A receiver has answered, with whichever status, once the response's head has arrived; everything else that it may
   * do is a failure. @throws if a header cannot be sent
   */
  async post(url: string, request: PostRequest): Promise<PostOutcome> {
    const startedAt = performance.now();
    const duration = () => ({ durationMilliseconds: Math.round(performance.now() - startedAt) });
    try {
      const answer = await this.exchange(this.rules.parse(url), request);
      return { ...answer, ...duration() };
    } catch (error) {
      if (error instanceof errors.InvalidArgumentError) throw error;
      return { error: failureReason(error), ...duration() };
    }
  }

  /** Stops at once: requests in progress fail, and so do those posted from now on. */
  async close(): Promise<void> {
    const destroyed = this.agent.destroy();
    // The agent leaves a connection that is still being opened to its own timeout.
    this.closing.abort();
    await destroyed;
  }

  /** `AbortSignal.any` keeps 180 bytes for each use with a signal that lives on, and its timeout may never fire (Node 20.20). */
  private async exchange(url: URL, { signal: caller, ...message }: PostRequest): Promise<Answer> {
    const { timeout } = this.options;
    const ending = new AbortController();
    const end = (reason: string): void => ending.abort(new ExchangeFailedError(reason));
    const giveUp = (): void => end('given up before an answer');
    const timer = setTimeout(end, timeout, `no answer within ${timeout / 1_000} s`);
    if (caller) setMaxListeners(0, caller);
    caller?.addEventListener('abort', giveUp);
    if (caller?.aborted) giveUp();
    try {
      ending.signal.throwIfAborted();
      // undici looks at the signal only once it is connected; then it sends nothing.
      return await Promise.race([aborted(ending.signal), this.send(url, message, ending.signal)]);
    } finally {
      clearTimeout(timer);
      caller?.removeEventListener('abort', giveUp);
    }
  }

  private async send({ origin, pathname, search }: URL, message: Omit<PostRequest, 'signal'>, signal: AbortSignal): Promise<Answer> {
    const request = { origin, path: pathname + search, method: 'POST', ...message, signal } as const;
    const { statusCode, headers, body } = await this.agent.request(request);
    drainBody(body);
    const [retryAfter] = [headers['retry-after']].flat();
    return { status: statusCode, retryAfter: retryAfter?.trim() };
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
      connector(origin, callback);
    } catch (error) {
      callback(error as Error, null);
    }
  }
}

/** Gives a socket the addresses that were checked; the name is not looked up again. */
function handOut(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, _options, callback) => callback(null, [...addresses]);
}

async function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as ExchangeFailedError), { once: true });
  });
}

/** Reads a short body in the background, so that its connection can be used again. One that is long or slow ends its connection. */
function drainBody(body: Dispatcher.ResponseData['body']): void {
  const timer = setTimeout(() => body.destroy(), BODY_MILLISECONDS).unref();
  const end = (): void => clearTimeout(timer);
  void body.dump({ limit: MAX_BODY_BYTES }).then(end, end);
}

/** Tells what the receiver did by the code of Node or undici: their messages hold the address that was connected to. */
function failureReason(error: unknown): string {
  if (error instanceof RefusedEndpointError) return `url ${error.message}`;
  if (error instanceof ExchangeFailedError) return error.message;
  const { code, name } = error as NodeJS.ErrnoException;
  return `request failed (${code ?? name})`;
}
