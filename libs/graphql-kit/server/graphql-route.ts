import { HeaderMap, type ApolloServer } from '@apollo/server';
import { checkContentType, type CachedResponse } from '#libs/api-kit';
import { ApplicationError } from '#libs/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CachedResults, MadeResult } from '../caching/cached-results.js';
import type { ResultContext } from '../caching/read-model.plugin.js';
import { checkGraphqlAccept } from './media-types.js';
import { PreparedOperations } from './prepared-operations.js';
import { readGraphqlRequest, type GraphqlRequest } from './read-graphql-request.js';

export interface GraphqlRouteOptions {
  readonly path: string;
  /** What a key needs to ask. */
  readonly scope: string;
  readonly server: ApolloServer;
  readonly cached: CachedResults;
}

/** Adds `GET` and `POST` of the schema. What is wrong before there is a document is refused by the service's own errors. */
export function addGraphqlRoute(instance: FastifyInstance, { path, scope, server, cached }: GraphqlRouteOptions): void {
  const prepared = new PreparedOperations();
  const make = async (request: FastifyRequest, reply: FastifyReply, asked: GraphqlRequest): Promise<MadeResult> =>
    (await prepared.run(request, asked)) ?? execute({ request, reply, asked, server, prepared });
  instance.route({
    url: path,
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    config: { access: { scope } },
    onRequest: (request, _reply, done) => {
      checkGraphqlAccept(request.headers.accept);
      if (request.method === 'POST') checkContentType(request);
      done();
    },
    handler: async (request, reply) => {
      const asked = readGraphqlRequest(request);
      const { content, headers } = await cached.respond(nameOf(request, asked), () => make(request, reply, asked));
      void reply.headers(headers);
      return content;
    },
  });
}

/** All that an answer depends on beside what it is made from; the scopes, since a field may ask for one. */
function nameOf({ method, headers: { accept = '' }, context: { scopes } }: FastifyRequest, asked: GraphqlRequest): string {
  return JSON.stringify([method, accept, scopes, asked]);
}

interface Execution {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly asked: GraphqlRequest;
  readonly server: ApolloServer;
  readonly prepared: PreparedOperations;
}

async function execute({ request, reply, asked, server, prepared }: Execution): Promise<MadeResult> {
  const isGet = request.method === 'GET';
  const context: ResultContext & { readonly req: FastifyRequest } = { req: request, result: {} };
  const {
    status = 200,
    headers,
    body,
  } = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers: acceptOf(request),
      search: isGet ? searchOf(asked) : '',
      body: isGet ? undefined : asked,
    },
    context: () => Promise.resolve(context),
  });
  if (body.kind !== 'complete') throw new ApplicationError('internal_error', 'The service failed; the log has the reason.');
  void reply.code(status);
  const response: CachedResponse = { content: body.string, headers: Object.fromEntries(headers) };
  const { ran, readModel } = context.result;
  if (ran) prepared.remember(request, asked, { ...ran, headers: response.headers, readModel });
  return { response, readModel };
}

/** All that the server looks at: it has to trust no header that admission has not checked. */
function acceptOf({ headers: { accept, authorization } }: FastifyRequest): HeaderMap {
  return new HeaderMap([
    ...(accept ? [['accept', accept] as const] : []),
    ...(authorization ? [['authorization', 'present'] as const] : []),
  ]);
}

function searchOf(members: object): string {
  const entries = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `?${new URLSearchParams(entries).toString()}`;
}
