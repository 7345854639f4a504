import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApplicationError } from '#libs/errors';
import type { Resource } from '../admission/route-table.js';
import { readRequestTarget } from './request-target.js';

/** One request on a connection and its answer, from the parsed head on. */
export class Exchange {
  /** Milliseconds of `performance.now()`. */
  readonly startedAt = performance.now();
  /** The request target as it was sent. */
  readonly target: string;
  readonly targetForm: 'path' | 'asterisk' | 'malformed';
  readonly hasBody: boolean;
  request: FastifyRequest | undefined;
  reply: FastifyReply | undefined;
  resource: Resource | undefined;
  /** The scopes of who sends the request, once that is known. */
  scopes: readonly string[] = [];
  /** Whether the request passed admission, so that its body is read. */
  admitted = false;
  /** Told of the content that answers a read with 200, also where it is answered with 304 then. */
  onContent: ((content: string | Buffer) => void) | undefined;
  /** Why the body cannot be used, for the next step to answer with. */
  defect: ApplicationError | undefined;

  constructor(
    readonly raw: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    this.target = raw.url ?? '';
    this.hasBody = raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
    const { form, url } = readRequestTarget(raw.method ?? '', this.target);
    this.targetForm = form;
    // The router answers what it cannot decode on its own, before any hook.
    raw.url = form === 'malformed' ? '/' : url;
  }
}

const awaited = new WeakSet<Exchange>();

/**
 * Answers keep the order of their requests: acts once the exchange's answer is out, or its connection lost. Until then only the
 * first call for an exchange counts, since each piece of what follows it and cannot be parsed leads to one.
 */
export function afterAnswer(exchange: Exchange, act: () => void): void {
  if (exchange.response.closed) {
    act();
  } else if (!awaited.has(exchange)) {
    awaited.add(exchange);
    exchange.response.once('close', act);
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}
