import { errors } from 'undici';
import type { Answer, PostedMessage } from './connection.js';
import { EndpointRules } from './endpoint-rules.js';
import { ExchangeEnd } from './exchange-end.js';
import { failureReason } from './failure-reason.js';
import { KeptConnections } from './kept-connections.js';
import { askNameServers, type Resolve } from './look-up.js';
import { RefusedEndpointError } from './outgoing-http.errors.js';

export interface OutgoingHttpOptions {
  /** Ports beyond 443 and 8443 that may be sent to. */
  readonly allowedPorts: readonly number[];
  /**
   * Lets `http` and `https` through to every port of loopback: 127.0.0.0/8, `::1`, `localhost` and names under it, and names all of whose
   * addresses are these. For development: a service that has it can be turned against its own machine.
   */
  readonly allowLoopback: boolean;
  /** How names are looked up; by default at the name servers of the system. */
  readonly resolve?: Resolve;
}

/** A message, and how long it may take. */
export interface PostRequest extends PostedMessage {
  /** For everything from the look-up to the end of the answer's body. */
  readonly timeoutMilliseconds: number;
  /** Gives it up; one signal may be there for many. */
  readonly signal?: AbortSignal;
}

/** What came of a message. */
export type PostOutcome = (
  | ({ readonly kind: 'answered' } & Answer)
  | {
      readonly kind: 'failed';
      /** Why, in plain words for the endpoint's owner. The other side may have got the message all the same. */
      readonly error: string;
    }
) & { readonly durationMilliseconds: number };

const STOPPED = 'stopped before an answer';

/**
 * Posts to URLs that others chose, such as those of webhooks, and only ever connects to the public internet: the URL is checked by
 * what it says, and the addresses that it leads to at each connection. It follows no redirect and obeys no proxy.
 */
export class OutgoingHttp {
  private readonly rules: EndpointRules;
  private readonly connections: KeptConnections;
  private readonly underWay = new Set<ExchangeEnd>();
  private isClosed = false;

  constructor({ allowedPorts, allowLoopback, resolve = askNameServers }: OutgoingHttpOptions) {
    this.rules = new EndpointRules({ allowedPorts, allowLoopback, resolve });
    this.connections = new KeptConnections(this.rules);
  }

  /**
   * Why a URL may not be sent to, as words that continue "url …", or undefined where it may. Looks up its name and connects
   * to nothing.
   */
  async problemWith(url: string): Promise<string | undefined> {
    try {
      await this.rules.addressesOf(this.rules.read(url));
      return undefined;
    } catch (error) {
      if (error instanceof RefusedEndpointError) return error.message;
      throw error;
    }
  }

  /**
   * Posts a message, once. Whatever the other side does is an outcome: one that answers, with whichever status, has answered once all
   * of the answer's body or 64 KiB of it have come. @throws where a header is none that can be sent.
   */
  async post(url: string, request: PostRequest): Promise<PostOutcome> {
    const startedAt = performance.now();
    const took = () => ({ durationMilliseconds: Math.round(performance.now() - startedAt) });
    try {
      const answer = await this.exchange(url, request);
      return { kind: 'answered', ...answer, ...took() };
    } catch (error) {
      if (error instanceof errors.InvalidArgumentError) throw error;
      return { kind: 'failed', error: failureReason(error), ...took() };
    }
  }

  /** Ends at once: what is under way fails, and so does what is posted from now on. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const end of this.underWay) end.end(STOPPED);
    await this.connections.close();
  }

  private async exchange(url: string, { timeoutMilliseconds, signal, ...message }: PostRequest): Promise<Answer> {
    const endpoint = this.rules.read(url);
    const end = new ExchangeEnd(timeoutMilliseconds, signal);
    if (this.isClosed) end.end(STOPPED);
    this.underWay.add(end);
    try {
      return await end.before(this.connections.post(endpoint, message, end.signal));
    } finally {
      this.underWay.delete(end);
      end.release();
    }
  }
}
