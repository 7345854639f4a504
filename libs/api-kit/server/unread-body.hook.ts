import type { FastifyReply, FastifyRequest } from 'fastify';
import { abandonBody } from './lingering-close.js';

type Hook = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: (error: Error | null) => void) => void;

/**
 * An `onSend` hook: an answer given before the body arrived closes the connection, unless the body is known to be within
 * the limit; that one is drained. After an `Expect: 100-continue` that was not met Node closes by itself.
 */
export function closeOnUnreadBody(bodyLimitBytes: number): Hook {
  return (request, reply, _payload, done) => {
    const { exchange, raw } = request;
    if (exchange.hasBody && !raw.complete && !isDrained(request, bodyLimitBytes)) {
      reply.header('connection', 'close');
      abandonBody(raw);
    }
    done(null);
  };
}

function isDrained({ exchange, headers }: FastifyRequest, bodyLimitBytes: number): boolean {
  return exchange.defect === undefined && Number(headers['content-length']) <= bodyLimitBytes;
}
