import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** A handler's parameter of type `string`: the media type, among those that its operation describes, in which the client wants the answer. */
export const AnswerMediaType = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => context.switchToHttp().getRequest<FastifyRequest>().context.mediaType,
);
