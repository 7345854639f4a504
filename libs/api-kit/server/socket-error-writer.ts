import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApplicationError } from '#libs/errors';
import { afterAnswer } from '../request/request-context.js';
import { linkWithHelp } from '../request/help-link.js';
import { ANSWER_HEADERS, JSON_CONTENT_TYPE } from '../request/send-error.js';
import { closeLingering } from './lingering-close.js';
import { requestsOf } from './request-queue.js';

/** What comes of counting something that could not be read as a request. */
export interface MalformedRequestResult {
  /** Further headers for the answer, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What to answer with instead. */
  readonly refusal?: ApplicationError;
}

/** Counts what a client sent from this address that could not be read as a request. */
export type CountUnreadable = (remoteAddress: string | undefined) => MalformedRequestResult | Promise<MalformedRequestResult>;

const UNCOUNTED: MalformedRequestResult = { headers: {} };

/** Told of every answer a `SocketErrorWriter` writes. */
export type RawErrorListener = (error: ApplicationError, requestId: string, remoteAddress: string | undefined) => void;

/** Writes the answers for which there is no parsed request, and closes their connections. */
export class SocketErrorWriter {
  /** Set by whoever counts requests. */
  countUnreadable: CountUnreadable = () => UNCOUNTED;

  constructor(private readonly listener: RawErrorListener) {}

  /** Answers once the requests before have their responses, and at most once on a connection. Nothing behind it is read. */
  answerInTurn(socket: Duplex, error: ApplicationError): void {
    const requests = requestsOf(socket);
    if (!requests.close()) return;
    if (requests.latest) afterAnswer(requests.latest, () => this.answer(socket, error));
    else this.answer(socket, error);
  }

  private answer(socket: Duplex, error: ApplicationError): void {
    // The response before it was the last one.
    if (!socket.writable) return;
    const verdict = this.countUnreadable(remoteAddressOf(socket));
    if (verdict instanceof Promise) {
      const write = (reached: MalformedRequestResult): void => this.write(socket, error, reached);
      verdict.then(write, () => write(UNCOUNTED));
    } else {
      this.write(socket, error, verdict);
    }
  }

  private write(socket: Duplex, error: ApplicationError, { headers, refusal = error }: MalformedRequestResult): void {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    socket.end(formatAnswer(refusal, { ...headers, 'x-request-id': requestId }));
    closeLingering(socket);
    this.listener(refusal, requestId, remoteAddressOf(socket));
  }
}

function remoteAddressOf(socket: Duplex): string | undefined {
  return socket instanceof Socket ? socket.remoteAddress : undefined;
}

function formatAnswer(error: ApplicationError, further: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(error.toBody());
  const headers = {
    ...ANSWER_HEADERS,
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
