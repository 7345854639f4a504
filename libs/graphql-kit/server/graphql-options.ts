import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import { NoSchemaIntrospectionCustomRule, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { BOUNDS } from '../bounds/bounds.js';
import { boundsPlugin, queryOnlyPlugin, refusalRule } from '../bounds/bounds.plugin.js';
import { readModelPlugin } from '../caching/read-model.plugin.js';
import { failureLogPlugin } from '../errors/failure-log.plugin.js';
import { formatError } from '../errors/format-error.js';
import { DateTimeScalar } from '../scalars/date-time.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import type { GraphqlDriverConfig } from './graphql-driver.js';
import { statusPlugin } from './status.plugin.js';

// Of the documents that need not be parsed and validated again. Each character takes up to 250 bytes once it is parsed.
const MOST_CHARACTERS_OF_DOCUMENTS = 500_000;

export interface GraphqlKitOptions extends Pick<GraphqlDriverConfig, 'revisionOf' | 'scope' | 'scopes'> {
  /** Whether the schema may be asked for; where not, no message suggests a name of it either. */
  readonly introspection: boolean;
  readonly logger: Logger;
}

/** The options of Nest's GraphQL module for a schema that is read at `/graphql`, made of the resolvers of all modules. */
export function graphqlOptions({ introspection, logger, ...driver }: GraphqlKitOptions): GraphqlDriverConfig {
  return {
    ...driver,
    path: '/graphql',
    autoSchemaFile: true,
    sortSchema: true,
    transformSchema: describeQueries,
    graphiql: false,
    resolvers: { [DateTimeScalar.name]: DateTimeScalar, [JsonScalar.name]: JsonScalar },
    // Off is a rule of our own below: Apollo's names its option in the message.
    introspection: true,
    validationRules: [refusalRule, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])],
    validationOptions: { maxErrors: BOUNDS.mistakes },
    parseOptions: { maxLexicalTokens: BOUNDS.tokens },
    documentStore: new InMemoryLRUCache<DocumentNode>({ maxSize: MOST_CHARACTERS_OF_DOCUMENTS, sizeCalculation: lengthOf }),
    persistedQueries: false,
    allowBatchedHttpRequests: false,
    csrfPrevention: { requestHeaders: ['authorization'] },
    includeStacktraceInErrorResponses: false,
    autoTransformHttpErrors: false,
    // The status is that of the status plugin.
    preserveHttpStatusForExecutionErrors: false,
    formatError: (_formatted, thrown) => formatError(thrown, { hideSuggestions: !introspection }),
    stringifyResult: JSON.stringify,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      boundsPlugin,
      queryOnlyPlugin,
      failureLogPlugin(logger),
      readModelPlugin,
      statusPlugin,
    ],
  };
}

/** Comments are no part of the document's nodes, but are held by it. */
function lengthOf({ loc }: DocumentNode): number {
  return loc?.source.body.length ?? MOST_CHARACTERS_OF_DOCUMENTS;
}

/** No decorator describes the type that all queries are fields of. */
function describeQueries(schema: GraphQLSchema): GraphQLSchema {
  const queries = schema.getQueryType();
  if (queries) queries.description = 'What can be read. Nothing can be changed here.';
  return schema;
}
