import { HeaderMap, type ApolloServer } from '@apollo/server';
import { checkContentType } from '#libs/api-kit';
import { ApplicationError } from '#libs/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkGraphqlAccept } from './media-types.js';
import { readGraphqlRequest } from './read-graphql-request.js';

export interface GraphqlRouteOptions {
  readonly path: string;
  readonly server: ApolloServer;
}

/** Adds `GET` and `POST` of the schema. What is wrong before there is a document is refused by the service's own errors. */
export function addGraphqlRoute(instance: FastifyInstance, { path, server }: GraphqlRouteOptions): void {
  instance.route({
    url: path,
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    onRequest: (request, _reply, done) => {
      checkGraphqlAccept(request.headers.accept);
      if (request.method === 'POST') checkContentType(request);
      done();
    },
    handler: (request, reply) => answer(request, reply, server),
  });
}

async function answer(request: FastifyRequest, reply: FastifyReply, server: ApolloServer): Promise<string> {
  const { query, ...rest } = readGraphqlRequest(request);
  const isGet = request.method === 'GET';
  const {
    status = 200,
    headers,
    body,
  } = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers: acceptOf(request),
      search: isGet ? searchOf({ query, ...rest }) : '',
      body: isGet ? undefined : { query, ...rest },
    },
    context: () => Promise.resolve({ req: request }),
  });
  if (body.kind !== 'complete') throw new ApplicationError('internal_error', 'The service failed; the log has the reason.');
  void reply.code(status);
  for (const [name, value] of headers) void reply.header(name, value);
  return body.string;
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
