import type { Duplex } from 'node:stream';
import { ApplicationError } from '#libs/errors';
import { afterAnswer, type RequestContext } from '../request/request-context.js';
import { headersTooLarge } from '../request/request-head.js';
import { versionNotSupported } from '../request/request-head.js';
import { closeLingering } from './lingering-close.js';
import type { SocketErrorWriter } from './socket-error-writer.js';
import { requestsOf } from './request-queue.js';

/** An error of Node's server; the parser says the `reason` of its own. */
export type ClientError = NodeJS.ErrnoException & { readonly reason?: string };

const WELL_FORMED_VERSION = 'Invalid HTTP version';
/** What Node's server says of a request that did not arrive in time. */
const OVERDUE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The error for a request that is not waited for any longer, as Node's server makes it when the time for one is over. */
export function overdue(): ClientError {
  return Object.assign(new Error('The request is not waited for any longer.'), { code: OVERDUE });
}

/** Answers what Node could not parse, or what did not arrive in time: a `clientError` of the server. */
export function answerClientError(rawErrors: SocketErrorWriter, error: ClientError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error);
  const { latest } = requestsOf(socket);
  if (latest?.raw.complete === false) refuseBody(latest, refusal, socket);
  else rawErrors.answerInTurn(socket, refusal);
}

/** The defect is in the body of a request that a hook already counted, so its answer goes the way of all answers. */
function refuseBody(context: RequestContext, refusal: ApplicationError, socket: Duplex): void {
  context.defect = refusal;
  // It may still wait behind the answers to earlier requests.
  if (context.response.writableEnded) afterAnswer(context, () => closeLingering(socket));
  else if (context.admitted) void context.reply?.send(refusal);
}

function refusalOf(error: ClientError): ApplicationError {
  switch (error.code) {
    case OVERDUE:
      return new ApplicationError('request_timeout', 'The request did not arrive in time; send it again at once.');
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge();
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApplicationError('payload_too_large', 'The chunk extensions of the body are too large; send it without them.');
    case 'HPE_PAUSED_H2_UPGRADE':
      return versionNotSupported();
    case 'HPE_INVALID_VERSION':
      return error.reason === WELL_FORMED_VERSION ? versionNotSupported() : malformed();
    default:
      return malformed();
  }
}

function malformed(): ApplicationError {
  return new ApplicationError('invalid_request', 'This is not a valid HTTP/1.1 request.');
}
