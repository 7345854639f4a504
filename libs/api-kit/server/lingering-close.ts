import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const LINGER_MILLISECONDS = 2_000;

/**
 * Ends a connection whose client may still be sending: nothing more is read, and the client has two seconds to read the
 * answer. Closed at once, with bytes unread, the connection would be reset and the answer lost (RFC 9112 section 9.6).
 */
export function closeLingering(socket: Duplex): void {
  socket.pause();
  if (!socket.writableEnded) socket.end();
  const deadline = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref();
  socket.once('close', () => clearTimeout(deadline));
}

/** Leaves the rest of a request's body unread and has its connection closed, lingering, once the answer is written. */
export function abandonBody(raw: IncomingMessage): void {
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
