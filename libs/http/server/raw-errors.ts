import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApplicationError } from '#libs/observability';
import { ALL_METHODS } from '../admission/route-table.js';
import { JSON_CONTENT_TYPE, linkWithHelp, RESPONSE_HEADERS } from '../errors/error.filter.js';

/** Limit of the head, from the method to the empty line, as Node counts it. */
export const MAXIMUM_HEAD_BYTES = 16_384;
/** How long a client may take to read the response; meanwhile what it sends is dropped. */
const LINGER_MILLISECONDS = 2_000;

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

/** An error of Node's server. */
export type ClientError = Error & { readonly code?: string };

/** Returns the error of the response to what Node cannot parse. */
export function toRefusal({ code }: ClientError): ApplicationError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApplicationError('request_timeout', 'The request did not arrive in time; send it again at once.');
    case 'HPE_HEADER_OVERFLOW':
      return new ApplicationError('headers_too_large', `The head of the request must not be over ${MAXIMUM_HEAD_BYTES} bytes.`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApplicationError('payload_too_large', 'The chunk extensions of the body are too large; send it without them.');
    case 'CONNECT':
      return new ApplicationError('method_not_allowed', 'CONNECT is not allowed here.', { headers: { allow: ALL_METHODS } });
    default:
      return new ApplicationError('invalid_request', 'This is not a valid HTTP/1.1 request.');
  }
}

/** Responds to bytes that are no request, with the headers of every response, and ends the connection. */
export async function writeRawError(
  error: ApplicationError,
  socket: Socket,
  { countUnreadable, onRefusal }: { readonly countUnreadable: CountUnreadable; readonly onRefusal: RefusalListener },
): Promise<void> {
  const { remoteAddress } = socket;
  const counting = (async () => countUnreadable(remoteAddress))();
  const { headers, refusal = error }: MalformedRequestResult = await counting.catch(() => ({ headers: {} }));
  const requestId = randomUUID();
  // Ignored if the connection was lost meanwhile.
  if (socket.writable) socket.end(formatResponse(refusal, { ...headers, 'x-request-id': requestId }));
  setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref();
  onRefusal(refusal, requestId, remoteAddress);
}

function formatResponse(error: ApplicationError, further: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(error.toBody());
  const headers = {
    ...RESPONSE_HEADERS,
    ...further,
    ...error.headers,
    link: linkWithHelp(undefined, error.code),
    'content-type': JSON_CONTENT_TYPE,
    'content-length': Buffer.byteLength(body),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
