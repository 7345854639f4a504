import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { endProgress } from '../overload/load-shedder.js';

/**
 * Marks a request as waiting for something to happen: it no longer counts as in progress, and its duration is not measured.
 * @param leave called, perhaps more than once, when the response is out, the connection is lost, or the client has ended its side: then it
 * hardly reads any more, and the connection would stand until something is written to it
 */
export function startOpenEnded({ request, raw: response }: FastifyReply, leave: () => void): void {
  request.isOpenEnded = true;
  endProgress(request);
  const { socket } = request.raw;
  socket.once('end', leave);
  response.once('close', () => {
    socket.off('end', leave);
    leave();
  });
  // It may have ended before there was a listener.
  if (response.closed || socket.destroyed || socket.readableEnded) setImmediate(leave);
}

/**
 * Sends the head of a response whose body the caller writes and ends, with the headers of every response. Nothing thrown afterwards becomes
 * a response.
 * @param headers in lower case; they replace those that the response has already
 */
export function takeResponse(reply: FastifyReply, headers: Readonly<Record<string, string>>): ServerResponse {
  reply.hijack();
  const { raw, request } = reply;
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers })) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200);
  raw.flushHeaders();
  // A span of a stream would have no end.
  request.endSpan?.();
  return raw;
}
