import type { Readable } from 'node:stream';
import { Client } from 'undici';
import type { EndpointRules } from './endpoint-rules.js';
import type { Endpoint } from './endpoint.js';
import { ExchangeFailedError } from './outgoing-http.errors.js';
import { openSocket } from './open-socket.js';

/** What is sent. */
export interface PostedMessage {
  /** All headers but `host`, `connection` and `content-length`, which are added. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What counts of an answer. */
export interface Answer {
  readonly status: number;
  /** What the header of this name says, unread. */
  readonly retryAfter?: string;
}

const READ_BYTES_OF_BODY = 64 * 1024;
const HEAD_BYTES = 16 * 1024;
/** Milliseconds that an idle connection is kept at most; less where the other side announces less. */
const IDLE_MILLISECONDS = 4_000;

/**
 * A connection to one origin, for one exchange at a time. It is opened, and its address checked, when first needed, and anew where it
 * was lost. It has no time limit: whoever uses it ends it.
 */
export class Connection {
  readonly origin: string;
  private readonly client: Client;
  private readonly ending = new AbortController();
  private hasUnsentBytes: () => boolean = () => false;

  /** @param onLost is told each time that the other side, or its having been idle for too long, closes it. */
  constructor(endpoint: Endpoint, rules: EndpointRules, onLost: () => void) {
    this.origin = endpoint.origin;
    this.client = new Client(endpoint.origin, {
      connect: (_options, callback) => {
        openSocket(endpoint, rules, this.ending.signal).then(
          (socket) => {
            this.hasUnsentBytes = () => socket.writableLength > 0;
            callback(null, socket);
          },
          (error: unknown) => callback(error as Error, null),
        );
      },
      pipelining: 1,
      maxHeaderSize: HEAD_BYTES,
      keepAliveTimeout: IDLE_MILLISECONDS,
      keepAliveMaxTimeout: IDLE_MILLISECONDS,
      // What ends the whole exchange ends its parts.
      headersTimeout: 0,
      bodyTimeout: 0,
    }).on('disconnect', onLost);
  }

  /** Whether another exchange may follow: the last answer came whole, after all that was to be sent, and the other side stays. */
  get isReusable(): boolean {
    const { connected, size } = this.client.stats;
    return connected && size === 0 && !this.hasUnsentBytes();
  }

  /** Posts to a path of the origin. A body beyond 64 KiB is left unread. @throws an error that `failureReason` puts into words. */
  async post(path: string, { headers, body }: PostedMessage): Promise<Answer> {
    const answer = await this.client.request({ method: 'POST', path, headers, body, onInfo: refuseUpgrade });
    await readSome(answer.body);
    const [retryAfter] = [answer.headers['retry-after']].flat();
    return { status: answer.statusCode, ...(retryAfter !== undefined && { retryAfter: retryAfter.trim() }) };
  }

  /** Ends it at once, with the exchange under way and also while it is being opened. */
  async destroy(): Promise<void> {
    this.ending.abort();
    await this.client.destroy();
  }
}

async function readSome(body: Readable): Promise<void> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving a body ends its connection.
    if (bytes > READ_BYTES_OF_BODY) return;
  }
}

function refuseUpgrade({ statusCode }: { readonly statusCode: number }): void {
  if (statusCode === 101) throw new ExchangeFailedError('switched to another protocol unasked');
}
