import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestContext } from '../request/request-context.js';
import { stopReading } from './lingering-close.js';

/** Requests of a connection that may wait for the one that runs. */
const MOST_WAITING = 32;

const queues = new WeakMap<Duplex, RequestQueue>();

/** Returns the requests of a connection of the server. */
export function requestsOf(socket: Duplex): RequestQueue {
  const known = queues.get(socket);
  if (known) return known;
  const queue = new RequestQueue(socket);
  queues.set(socket, queue);
  return queue;
}

/** Runs the requests of one connection one after another, in their order (RFC 9112 section 9.3.2). */
class RequestQueue {
  /** The request that runs, or the last one that ran. */
  current: RequestContext | undefined;
  /** The request whose head arrived last. */
  latest: RequestContext | undefined;
  private readonly waiting: (() => void)[] = [];
  private isClosed = false;

  constructor(private readonly socket: Duplex) {}

  /**
   * Calls `run` once the requests before have their responses, unless the connection is lost by then. Returns false if it takes no
   * further requests.
   */
  add(raw: IncomingMessage, response: ServerResponse, run: (context: RequestContext) => void): boolean {
    if (!this.isClosed && this.waiting.length === MOST_WAITING) {
      this.latest?.response.setHeader('connection', 'close');
      this.close();
    }
    if (this.isClosed) return false;
    const context = new RequestContext(raw, response);
    this.latest = context;
    this.enqueue(() => {
      this.current = context;
      response.once('close', () => {
        // Others have their turn of the event loop first.
        if (this.waiting.length > 0) setImmediate(this.startNext);
      });
      run(context);
    });
    return true;
  }

  /** Calls `last` once the requests before have their responses, and reads nothing more. Does nothing if there is a last one. */
  end(last: () => void): void {
    if (this.isClosed) return;
    this.close();
    this.enqueue(last);
  }

  private close(): void {
    this.isClosed = true;
    stopReading(this.socket);
  }

  private enqueue(start: () => void): void {
    if (this.waiting.length > 0 || this.current?.response.closed === false) this.waiting.push(start);
    else start();
  }

  private readonly startNext = (): void => {
    if (this.socket.writable) this.waiting.shift()?.();
    else this.waiting.length = 0;
  };
}
