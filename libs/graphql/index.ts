export { CountArguments } from './count-arguments.js';
export { ConnectionArguments, connectionType, ConnectionRequest, EMPTY_PAGE, readPageSize } from './connection.js';
export { assertListSize, filterType, intersectFilters, readFilter } from './filter-type.js';
export { GraphqlDriver, renderSdl, type GraphqlDriverConfig } from './graphql-driver.js';
export { GroupedLoader } from './grouped-loader.js';
export { NodeResolver, NodeType } from './node.js';
export { ReadsOnly } from './reads-only.js';
export { DateTimeScalar, enumType, JsonScalar } from './scalars.js';
