import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const LINGER_MILLISECONDS = 2_000;

/**
 * Ends a connection whose client may still be sending: nothing more is read, and the client has two seconds to read the response. Closed
 * at once, with bytes unread, the connection would be reset and the response lost (RFC 9112 section 9.6).
 */
export function closeLingering(socket: Duplex): void {
  stopReading(socket);
  if (!socket.writableEnded) socket.end();
  const deadline = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref();
  socket.once('close', () => clearTimeout(deadline));
}

/** Reads nothing more of a connection, even if Node resumes it, as it does after each message. */
export function stopReading(socket: Duplex): void {
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
