import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';
import { parseJson } from '../json/parse-json.js';
import { mediaTypesOf } from '../requests/route-contract.js';

/**
 * Has the bodies of all routes, whatever media types these name, read by `parseJson` and no other. An empty body is undefined, for the
 * handler to refuse. What is wrong with a body is thrown after it was read, so that the connection lives on. Call it before there are routes.
 */
export function installJsonBodyParser(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addHook('onRoute', ({ config }) => {
    for (const mediaType of mediaTypesOf(config?.reads?.body)) {
      if (!instance.hasContentTypeParser(mediaType)) instance.addContentTypeParser(mediaType, { parseAs: 'buffer' }, readBody);
    }
  });
  instance.addHook('preValidation', refuseDefect);
}

function readBody(request: FastifyRequest, body: Buffer, done: (error: null, body: unknown) => void): void {
  done(null, body.length === 0 ? undefined : parseOrNote(request, body));
}

function parseOrNote(request: FastifyRequest, body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    request.context.defect = error;
    return undefined;
  }
}

function refuseDefect(request: FastifyRequest, _reply: unknown, done: (error?: Error) => void): void {
  done(request.context.defect);
}
