import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { NoSchemaIntrospectionCustomRule, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { BOUNDS } from '../bounds/bounds.js';
import { boundsPlugin, refusalRule } from '../bounds/bounds.plugin.js';
import { readModelPlugin } from '../caching/read-model.plugin.js';
import { failureLogPlugin } from '../errors/failure-log.plugin.js';
import { formatError } from '../errors/format-error.js';
import { DateTimeScalar } from '../scalars/date-time.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import { DocumentCache } from './document-cache.js';
import type { GraphqlDriverConfig } from './graphql-driver.js';
import { queryOnlyPlugin } from './query-only.plugin.js';
import { statusPlugin } from './status.plugin.js';

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
    documentStore: new DocumentCache(),
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

/** No decorator describes the type that all queries are fields of. */
function describeQueries(schema: GraphQLSchema): GraphQLSchema {
  const queries = schema.getQueryType();
  if (queries) queries.description = 'What can be read. Nothing can be changed here.';
  return schema;
}
