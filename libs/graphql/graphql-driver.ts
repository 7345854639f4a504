import { Injectable } from '@nestjs/common';
import { AbstractGraphQLDriver, type GqlModuleOptions } from '@nestjs/graphql';
import type { FastifyInstance } from 'fastify';
import { printSchema, type GraphQLSchema } from 'graphql';
import { EventStore, ReadModels } from '#libs/event-sourcing';
import { checkContentType, chooseMediaType, EnhancedHandlers } from '#libs/http';
import { Clock } from '#libs/observability';
import { checkArguments, guardFields } from './field-checks.js';
import { Operations, type OperationsOptions } from './operations.js';
import { GRAPHQL_MEDIA_TYPES, readGraphqlRequest } from './read-graphql-request.js';
import { DateTimeScalar, JsonScalar } from './scalars.js';

const PLAIN_TEXT = 'text/plain';

/** The options of Nest's GraphQL module, of the operations and of access. */
export interface GraphqlDriverConfig extends Omit<GqlModuleOptions, 'introspection'>, Pick<OperationsOptions, 'introspection' | 'logger'> {
  /** The scope that a key needs for the schema. */
  readonly scope: string;
}

/**
 * Nest's driver for a schema for reading, made of the resolvers of all modules. Its route keeps the HTTP contract of the service, and
 * graphql-js runs the operations.
 */
@Injectable()
export class GraphqlDriver extends AbstractGraphQLDriver<GraphqlDriverConfig> {
  constructor(
    private readonly readModels: ReadModels,
    private readonly enhanced: EnhancedHandlers,
    private readonly clock: Clock,
    private readonly events: EventStore,
  ) {
    super();
  }

  override mergeDefaultOptions(options: GraphqlDriverConfig): Promise<GraphqlDriverConfig> {
    return super.mergeDefaultOptions({
      autoSchemaFile: true,
      sortSchema: true,
      transformSchema: describeQueries,
      resolvers: { [DateTimeScalar.name]: DateTimeScalar, [JsonScalar.name]: JsonScalar },
      ...options,
    });
  }

  async start({ path = '/graphql', schema, scope, introspection, logger }: GraphqlDriverConfig): Promise<void> {
    if (!schema) throw new TypeError('The driver is started with a schema.');
    const { readModels, enhanced, clock, events } = this;
    checkArguments(schema, {
      now: () => clock.now(),
      readNewestTime: async () => (await events.readAll({ newestFirst: true, limit: 1 }))[0]?.recordedAt,
    });
    guardFields(schema);
    const operations = new Operations(schema, { readModels, enhanced, introspection, logger });
    const instance = this.httpAdapterHost.httpAdapter.getInstance<FastifyInstance>();
    serveSdl(instance, schema, { path, scope });
    // A request without a readable document is refused by the service's own errors.
    instance.route({
      url: path,
      method: ['GET', 'POST'],
      exposeHeadRoute: false,
      config: { access: { scope } },
      onRequest: (request, _reply, done) => {
        request.responseMediaType = chooseMediaType(request.headers.accept, GRAPHQL_MEDIA_TYPES);
        if (request.method === 'POST') checkContentType(request);
        done();
      },
      handler: async (request, reply) => {
        const { status, headers, content } = await operations.respond(request, readGraphqlRequest(request));
        void reply.code(status).headers(headers);
        return content;
      },
    });
  }

  async stop(): Promise<void> {
    // Its route ends with the server.
  }
}

/** Describes the type of all queries, which no decorator does. */
function describeQueries(schema: GraphQLSchema): GraphQLSchema {
  const queries = schema.getQueryType();
  if (queries) queries.description = 'What can be read. Nothing can be changed here.';
  return schema;
}

/** Prints a schema in the schema definition language, each description on lines of its own. */
export function renderSdl(schema: GraphQLSchema): string {
  return `${printSchema(schema).replace(/^( *)"""(.+)"""$/gm, '$1"""\n$1$2\n$1"""')}\n`;
}

/** Serves a schema in the schema definition language at `PATH/schema`, even if introspection is off. */
function serveSdl(
  instance: FastifyInstance,
  schema: GraphQLSchema,
  { path, scope }: { readonly path: string; readonly scope: string },
): void {
  let printed: string | undefined;
  instance.get(`${path}/schema`, {
    config: { access: { scope } },
    onRequest: (request, _reply, done) => {
      chooseMediaType(request.headers.accept, [PLAIN_TEXT]);
      done();
    },
    handler: (_request, reply) => reply.type(`${PLAIN_TEXT}; charset=utf-8`).send((printed ??= renderSdl(schema))),
  });
}
