import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApplicationError } from '#libs/observability';
import { JSON_CONTENT_TYPE, linkWithHelp, RESPONSE_HEADERS } from '../errors/error.filter.js';
import { headersTooLarge, versionNotSupported } from '../request/request-context.js';
import { closeLingering, getRequestQueue, type ClientError } from './http-server.js';

/** The result of counting something that could not be read as a request. */
export interface MalformedRequestResult {
  /** Further headers of the response, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Replaces the error of the response. */
  readonly refusal?: ApplicationError;
}

/** Counts something from this address that could not be read as a request. */
export type CountUnreadable = (remoteAddress: string | undefined) => MalformedRequestResult | Promise<MalformedRequestResult>;

/** Called for every response of a `SocketErrorWriter`. */
export type SocketErrorListener = (error: ApplicationError, requestId: string, remoteAddress: string | undefined) => void;

const OVERDUE = 'ERR_HTTP_REQUEST_TIMEOUT';
const WELL_FORMED_VERSION = 'Invalid HTTP version';
const UNCOUNTED: MalformedRequestResult = { headers: {} };

/** Returns the error of Node's server for a request that did not arrive in time. */
export function overdue(): ClientError {
  return Object.assign(new Error('The request did not arrive in time.'), { code: OVERDUE });
}

/** Writes responses without a parsed request, and closes their connections. */
export class SocketErrorWriter {
  /** Set when admission is installed. */
  countUnreadable: CountUnreadable = () => UNCOUNTED;

  constructor(private readonly listener: SocketErrorListener) {}

  /** Responds behind the requests before, at most once on a connection. Reads nothing more of it. */
  refuse(socket: Duplex, error: ApplicationError): void {
    getRequestQueue(socket).end(() => {
      // It is not if the response before was the last one.
      if (socket.writable) void this.write(socket, error);
    });
  }

  /** For `clientError` of the server: something that Node could not parse, or that did not arrive in time. */
  readonly handle = (error: ClientError, socket: Duplex): void => {
    const requests = getRequestQueue(socket);
    const { latest } = requests;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
    } else if (latest === undefined || latest.raw.complete) {
      this.refuse(socket, toRefusal(error));
    } else {
      // Only the body is broken: the request was counted, and gets its response as all do, perhaps behind others.
      latest.defect = toRefusal(error);
      if (latest.response.writableEnded) requests.end(() => closeLingering(socket));
      else if (latest.admitted) void latest.reply?.send(latest.defect);
    }
  };

  private async write(socket: Duplex, error: ApplicationError): Promise<void> {
    const address = socket instanceof Socket ? socket.remoteAddress : undefined;
    const { headers, refusal = error } = await this.count(address);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    socket.end(formatResponse(refusal, { ...headers, 'x-request-id': requestId }));
    closeLingering(socket);
    this.listener(refusal, requestId, address);
  }

  private async count(address: string | undefined): Promise<MalformedRequestResult> {
    try {
      return await this.countUnreadable(address);
    } catch {
      return UNCOUNTED;
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
