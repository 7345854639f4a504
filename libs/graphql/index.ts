export { ConnectionArguments, connectionType, ConnectionRequest, PageInfo, readFirst, type Connection } from './connection.js';
export { serveGraphiql, type GraphiqlExample, type GraphiqlOptions } from './graphiql/serve-graphiql.js';
export { GraphqlDriver, graphqlOptions, type GraphqlDriverConfig, type GraphqlKitOptions } from './graphql-driver.js';
export { GroupedLoader } from './grouped-loader.js';
export { isReadsOnly, ReadsOnly } from './known-operations.js';
export { DateTimeScalar, enumType, JsonScalar } from './scalars.js';
