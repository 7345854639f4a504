import type { FastifyReply } from 'fastify';
import type { ApplicationError } from '#libs/errors';
import { JSON_CONTENT_TYPE } from '../server/answer-headers.js';

/** Answers with the error's status, headers and body. Does nothing where an answer was given. */
export function sendError(reply: FastifyReply, error: ApplicationError): void {
  if (reply.sent) return;
  void reply.code(error.status).headers(error.headers).type(JSON_CONTENT_TYPE).send(JSON.stringify(error.toBody()));
}
