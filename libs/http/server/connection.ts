import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApplicationError } from '#libs/observability';
import { JSON_CONTENT_TYPE, linkWithHelp, RESPONSE_HEADERS } from '../errors/error.filter.js';
import { headersTooLarge, RequestContext, versionNotSupported } from '../request/request-context.js';

/** Requests of a connection that may wait for the one that runs. */
const MAX_WAITING = 32;
const LINGER_MILLISECONDS = 2_000;
const OVERDUE = 'ERR_HTTP_REQUEST_TIMEOUT';
const WELL_FORMED_VERSION = 'Invalid HTTP version';

/** The result of counting something that could not be read as a request. */
export interface MalformedRequestResult {
  /** Further headers of the response, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces the error of the response. */
  readonly refusal?: ApplicationError;
}

/** Counts something from this address that could not be read as a request. */
export type CountUnreadable = (remoteAddress: string | undefined) => MalformedRequestResult | Promise<MalformedRequestResult>;

/** Called for every response to something that could not be read as a request. */
export type RefusalListener = (error: ApplicationError, requestId: string, remoteAddress: string | undefined) => void;

/** An error of Node's server; `reason` is the parser's. */
type ClientError = NodeJS.ErrnoException & { readonly reason?: string };

/** A connection of the service. Runs its requests one after another, in their order (RFC 9112 section 9.3.2). */
export class Connection {
  /** The request that runs, or the last one that ran. */
  current: RequestContext | undefined;
  /** The request whose head arrived last. */
  latest: RequestContext | undefined;
  /** Requests that were not run. */
  dropped = 0;
  /** Bytes read so far, and when the client last made progress. */
  bytesRead = 0;
  stalledSince = performance.now();
  private readonly waiting: (() => void)[] = [];
  private isClosed = false;

  constructor(
    readonly socket: Socket,
    private readonly onRefusal: RefusalListener,
    private readonly countUnreadable: CountUnreadable,
  ) {}

  /** Whether the next step is the client's: to send the rest of a request, or to close a connection after its last response. */
  get waitsForClient(): boolean {
    const { isIdle, latest } = this;
    if (isIdle || latest === undefined) return true;
    return latest.admitted && !latest.raw.complete && latest.defect === undefined && !latest.response.headersSent;
  }

  /** Whether no request has begun to arrive, or is answered. */
  get isIdle(): boolean {
    return this.latest === undefined || this.latest.response.closed;
  }

  /**
   * Calls `run` once the requests before have their responses, unless the connection is lost by then. Returns false if it takes no
   * further requests.
   */
  add(raw: IncomingMessage, response: ServerResponse, run: (context: RequestContext) => void): boolean {
    if (!this.isClosed && this.waiting.length === MAX_WAITING) {
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

  /** Responds without a parsed request, behind the requests before, at most once. Reads nothing more. */
  refuse(error: ApplicationError): void {
    this.end(() => {
      // It is not if the response before was the last one.
      if (this.socket.writable) void this.writeError(error);
    });
  }

  /** Responds with 408 to a request that has not arrived completely. */
  refuseOverdue(): void {
    this.handle(Object.assign(new Error(OVERDUE), { code: OVERDUE }));
  }

  /** Handles something that Node could not parse, or that did not arrive in time. */
  handle(error: ClientError): void {
    const { socket, latest } = this;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (latest === undefined || latest.raw.complete) {
      this.refuse(toRefusal(error));
    } else {
      // Only the body is broken: the request was counted, and gets its response as all do, perhaps behind others.
      latest.defect = toRefusal(error);
      if (latest.response.writableEnded) this.end(() => closeLingering(socket));
      else if (latest.admitted) void latest.reply?.send(latest.defect);
    }
  }

  /** Calls `last` once the requests before have their responses, and reads nothing more. Does nothing if there is a last one. */
  private end(last: () => void): void {
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

  private async writeError(error: ApplicationError): Promise<void> {
    const { socket } = this;
    const { remoteAddress } = socket;
    const { headers, refusal = error } = await this.count(remoteAddress);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    socket.end(formatResponse(refusal, { ...headers, 'x-request-id': requestId }));
    closeLingering(socket);
    this.onRefusal(refusal, requestId, remoteAddress);
  }

  private async count(remoteAddress: string | undefined): Promise<MalformedRequestResult> {
    try {
      return await this.countUnreadable(remoteAddress);
    } catch {
      return { headers: {} };
    }
  }
}

function toRefusal({ code, reason }: ClientError): ApplicationError {
  if (code === OVERDUE) return new ApplicationError('request_timeout', 'The request did not arrive in time; send it again at once.');
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new ApplicationError('payload_too_large', 'The chunk extensions of the body are too large; send it without them.');
  }
  if (code === 'HPE_PAUSED_H2_UPGRADE' || (code === 'HPE_INVALID_VERSION' && reason === WELL_FORMED_VERSION)) return versionNotSupported();
  return new ApplicationError('invalid_request', 'This is not a valid HTTP/1.1 request.');
}

function formatResponse(error: ApplicationError, further: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(error.toBody());
  const headers = {
    ...RESPONSE_HEADERS,
    ...further,
    ...error.headers,
    link: linkWithHelp(error.headers['link'] ?? further['link'], error.code),
    'content-type': JSON_CONTENT_TYPE,
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Ends a connection whose client may still be sending: nothing more is read, and the client has two seconds to read the response. Closed
 * at once, with bytes unread, the connection would be reset and the response lost (RFC 9112 section 9.6).
 */
function closeLingering(socket: Socket): void {
  stopReading(socket);
  if (!socket.writableEnded) socket.end();
  const deadline = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref();
  socket.once('close', () => clearTimeout(deadline));
}

/** Reads nothing more of a connection, even if Node resumes it, as it does after each message. */
function stopReading(socket: Socket): void {
  socket.on('resume', () => socket.pause());
  socket.pause();
}

/** Leaves the rest of a body unread, and closes its connection, lingering, once the response is written. */
export function abandonBody(raw: IncomingMessage): void {
  raw.pause();
  // Node reads a body to its end after the response unless something was read of it.
  raw.read();
  raw.socket.destroySoon = function lingerInstead() {
    closeLingering(this);
  };
}
