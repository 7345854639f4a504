import type { FastifyReply } from 'fastify';
import type { ApplicationError } from '#libs/errors';
import { linkWithHelp } from './help-link.js';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** On every answer unless a handler says otherwise. */
export const ANSWER_HEADERS = { 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' } as const;

/** Answers with the error's status, headers and body, and a link to what its code means. Does nothing where an answer was given. */
export function sendError(reply: FastifyReply, error: ApplicationError): void {
  if (reply.sent) return;
  reply.request.context.errorCode = error.code;
  void reply.code(error.status).headers(error.headers);
  void reply.header('link', linkWithHelp(reply.getHeader('link'), error.code));
  void reply.type(JSON_CONTENT_TYPE).send(JSON.stringify(error.toBody()));
}
