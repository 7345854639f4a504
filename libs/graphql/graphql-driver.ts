import { ApolloServer, HeaderMap, type BaseContext } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import { Injectable } from '@nestjs/common';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoSchemaIntrospectionCustomRule, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { checkContentType, type EnhancedHandlers, type GetRevision } from '#libs/http';
import { ApplicationError } from '#libs/observability';
import { BOUNDS } from './bounds.js';
import { checkArguments, guardFields, type Present } from './field-checks.js';
import { formatError } from './format-error.js';
import { KnownOperations, type OperationContext } from './known-operations.js';
import { boundsRule, requestRules } from './plugins.js';
import { checkGraphqlAccept, readGraphqlRequest, type GraphqlRequest } from './read-graphql-request.js';
import { DateTimeScalar, JsonScalar } from './scalars.js';
import { serveSdl } from './schema-route.js';

/** Of the parsed and validated documents that the server keeps. A parsed document takes up to 250 bytes a character. */
const MAX_CHARACTERS_OF_DOCUMENTS = 500_000;

/** The options of Apollo's driver, of caching and of access. */
export interface GraphqlDriverConfig extends ApolloDriverConfig {
  /** Returns the revision of a read model, by its name. */
  readonly getRevision: GetRevision;
  /** Whose results are never kept. */
  readonly enhanced: Pick<EnhancedHandlers, 'include'>;
  /** Which moments are not in the future. */
  readonly present: Present;
  /** The scope that a key needs for the schema. */
  readonly scope: string;
  /** All scopes that a key can have, for fields that require one more. */
  readonly scopes: ReadonlySet<string>;
}

export interface GraphqlKitOptions extends Pick<GraphqlDriverConfig, 'getRevision' | 'enhanced' | 'present' | 'scope' | 'scopes'> {
  /** Whether operations may query the schema; if not, no message suggests a name of it either. */
  readonly introspection: boolean;
  readonly logger: Logger;
}

/** Nest's driver for Apollo Server with a route of our own, which keeps the HTTP contract of the service. */
@Injectable()
export class GraphqlDriver extends ApolloDriver {
  protected override async registerFastify(options: GraphqlDriverConfig): Promise<void> {
    const { path = '/graphql', schema, typeDefs: _typeDefs, resolvers: _resolvers, ...own } = options;
    const { getRevision, enhanced, present, scope, scopes, ...settings } = own;
    if (!schema) throw new TypeError('The driver is started with a schema.');
    checkArguments(schema, present);
    guardFields(schema, scopes);
    const server: ApolloServer = new ApolloServer<BaseContext>({ ...settings, schema });
    await server.start();
    // Apollo imports it with the first document, when a new build may have replaced the file that a running service knows of.
    await import('graphql');
    const operations = new KnownOperations(getRevision, enhanced);
    const instance = this.httpAdapterHost.httpAdapter.getInstance<FastifyInstance>();
    serveSdl(instance, schema, { path, scope });
    // A request without a readable document is refused by the service's own errors.
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
    this.apolloServer = server;
  }
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

/** Returns the options of Nest's GraphQL module for a schema for reading at `/graphql`, made of the resolvers of all modules. */
export function graphqlOptions({ introspection, logger, ...driver }: GraphqlKitOptions): GraphqlDriverConfig {
  return {
    ...driver,
    path: '/graphql',
    autoSchemaFile: true,
    sortSchema: true,
    transformSchema: describeQueries,
    graphiql: false,
    resolvers: { [DateTimeScalar.name]: DateTimeScalar, [JsonScalar.name]: JsonScalar },
    // Turned off by a validation rule: the message of Apollo's option names the option.
    introspection: true,
    validationRules: [boundsRule, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])],
    validationOptions: { maxErrors: BOUNDS.mistakes },
    parseOptions: { maxLexicalTokens: BOUNDS.tokens },
    documentStore: new InMemoryLRUCache<DocumentNode>({ maxSize: MAX_CHARACTERS_OF_DOCUMENTS, sizeCalculation: measureLength }),
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: { requestHeaders: ['authorization'] },
    includeStacktraceInErrorResponses: false,
    autoTransformHttpErrors: false,
    // The plugin sets it.
    preserveHttpStatusForExecutionErrors: false,
    formatError: (_formatted, thrown) => formatError(thrown, { hideSuggestions: !introspection }),
    stringifyResult: JSON.stringify,
    plugins: [ApolloServerPluginCacheControlDisabled(), requestRules(logger)],
  };
}

/** With comments, which the document keeps in memory too. */
function measureLength({ loc }: DocumentNode): number {
  return loc?.source.body.length ?? MAX_CHARACTERS_OF_DOCUMENTS;
}

/** Describes the type of all queries, which no decorator does. */
function describeQueries(schema: GraphQLSchema): GraphQLSchema {
  const queries = schema.getQueryType();
  if (queries) queries.description = 'What can be read. Nothing can be changed here.';
  return schema;
}
