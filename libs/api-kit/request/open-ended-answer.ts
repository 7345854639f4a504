import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { endProgress } from '../overload/requests-in-progress.js';

/**
 * To be called for a request that now waits for something to happen: it no longer counts among those that the service is busy with, and
 * its duration not among those of answers.
 * @param leave called, perhaps more than once, when the answer is out, the connection is lost, or the client has ended its side of it:
 * what it would be told then it hardly reads, and the connection might stand until it is written to
 */
export function startOpenEnded({ request, raw: response }: FastifyReply, leave: () => void): void {
  request.context.isOpenEnded = true;
  endProgress(request);
  const { socket } = request.raw;
  socket.once('end', leave);
  response.once('close', () => {
    socket.off('end', leave);
    leave();
  });
  // It may have gone before anything could be heard of it.
  if (response.closed || socket.destroyed || socket.readableEnded) setImmediate(leave);
}

/**
 * Sends the head of an answer whose body the caller writes and ends, piece by piece. It has the headers that every answer has; nothing
 * that is thrown afterwards becomes an answer.
 * @param headers in lower case; they go before those that the answer has already
 */
export function takeOverAnswer(reply: FastifyReply, headers: Readonly<Record<string, string>>): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers })) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200);
  raw.flushHeaders();
  // What is written for as long as the client likes would be one trace without an end.
  reply.request.context.endSpan?.();
  return raw;
}
