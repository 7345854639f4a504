export { CountArguments } from './count-arguments.js';
export {
  ConnectionArguments,
  connectionType,
  ConnectionRequest,
  EMPTY_PAGE,
  PageInfo,
  readPageSize,
  type Connection,
} from './connection.js';
export { assertListSize, filterType, intersectFilters, readFilter } from './filter-type.js';
export { serveGraphiql, type GraphiqlExample, type GraphiqlOptions } from './graphiql/serve-graphiql.js';
export { GraphqlDriver, graphqlOptions, type GraphqlDriverConfig, type GraphqlKitOptions } from './graphql-driver.js';
export { GroupedLoader } from './grouped-loader.js';
export { ReadsOnly } from './known-operations.js';
export { NodeResolver, NodeType } from './node.js';
export { DateTimeScalar, enumType, JsonScalar } from './scalars.js';
export { renderSdl } from './schema-route.js';
