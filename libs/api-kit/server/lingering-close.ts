import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

const LINGER_MILLISECONDS = 2_000;

type Hook = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: Error | null) => void) => void;

/**
 * Ends a connection whose client may still be sending: nothing more is read, and the client has two seconds to read the
 * answer. Closed at once, with bytes unread, the connection would be reset and the answer lost (RFC 9112 section 9.6).
 */
export function closeLingering(socket: Duplex): void {
  stopReading(socket);
  if (!socket.writableEnded) socket.end();
  const deadline = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref();
  socket.once('close', () => clearTimeout(deadline));
}

/** Reads nothing more of a connection, also where Node resumes it, as it does whenever a message was read to its end. */
export function stopReading(socket: Duplex): void {
  socket.on('resume', () => socket.pause());
  socket.pause();
}

/** Leaves the rest of a request's body unread and has its connection closed, lingering, once the answer is written. */
function abandonBody(raw: IncomingMessage): void {
  raw.pause();
  // Node drains a body to its end after the answer unless something was read of it.
  raw.read();
  lingerAtEnd(raw.socket);
}

/** Has the connection closed lingering once its last answer is written. */
export function lingerAtEnd(socket: Socket): void {
  socket.destroySoon = function lingerInstead() {
    closeLingering(this);
  };
}

/**
 * An `onSend` hook: an answer given before the body arrived closes the connection, unless the body is known to be within
 * the limit; that one is drained. After an `Expect: 100-continue` that was not met Node closes by itself.
 */
export function closeOnUnreadBody(bodyLimitBytes: number): Hook {
  return (request, reply, _payload, done) => {
    const { context, raw } = request;
    if (context.hasBody && !raw.complete && !isDrained(request, bodyLimitBytes)) {
      reply.header('connection', 'close');
      abandonBody(raw);
    }
    done(null);
  };
}

function isDrained({ context, headers }: FastifyRequest, bodyLimitBytes: number): boolean {
  return context.defect === undefined && Number(headers['content-length']) <= bodyLimitBytes;
}
