import { HeaderMap, type ApolloServer } from '@apollo/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { checkContentType, type GetRevision } from '#libs/http';
import { ApplicationError } from '#libs/observability';
import { KnownOperations, type OperationContext } from './known-operations.js';
import { checkGraphqlAccept, readGraphqlRequest, type GraphqlRequest } from './read-graphql-request.js';

export interface GraphqlRouteOptions {
  readonly path: string;
  /** The scope that a key needs. */
  readonly scope: string;
  readonly server: ApolloServer;
  readonly getRevision: GetRevision;
}

/** Adds `GET` and `POST` of the schema. A request without a readable document is refused by the service's own errors. */
export function addGraphqlRoute(instance: FastifyInstance, { path, scope, server, getRevision }: GraphqlRouteOptions): void {
  const operations = new KnownOperations(getRevision);
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
      const { content, headers } = await operations.respond(request, asked, () => runOnServer(server, request, reply, asked));
      void reply.headers(headers);
      return content;
    },
  });
}

async function runOnServer(server: ApolloServer, request: FastifyRequest, reply: FastifyReply, asked: GraphqlRequest) {
  const { method, headers: given } = request;
  const context: OperationContext = { req: request, result: {} };
  // The only headers that the server reads; it gets none that admission has not checked.
  const headers = new HeaderMap([['authorization', 'present'], ...(given.accept ? [['accept', given.accept] as const] : [])]);
  const sent = method === 'GET' ? { search: toQueryString(asked), body: undefined } : { search: '', body: asked };
  const answered = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method, headers, ...sent },
    context: () => Promise.resolve(context),
  });
  if (answered.body.kind !== 'complete') throw new ApplicationError('internal_error', 'The service failed; the log has the reason.');
  void reply.code(answered.status ?? 200);
  return { response: { content: answered.body.string, headers: Object.fromEntries(answered.headers) }, ran: context.result.ran };
}

function toQueryString(members: object): string {
  const texts = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `?${new URLSearchParams(texts).toString()}`;
}
