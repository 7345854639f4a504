export { GroupedLoader } from './batching/grouped-loader.js';
export { ReadsOnly } from './caching/reads-only.decorator.js';
export { ConnectionArguments, ConnectionRequest, readFirst } from './connections/connection-request.js';
export { connectionOf, PageInfo, type Connection } from './connections/connection.type.js';
export { serveGraphiql, type GraphiqlExample, type GraphiqlOptions } from './graphiql/serve-graphiql.js';
export { DateTimeScalar } from './scalars/date-time.scalar.js';
export { JsonScalar } from './scalars/json.scalar.js';
export { GraphqlDriver, type GraphqlDriverConfig } from './server/graphql-driver.js';
export { graphqlOptions, type GraphqlKitOptions } from './server/graphql-options.js';
