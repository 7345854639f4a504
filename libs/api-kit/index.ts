export type { AdmissionHook } from './admission/admission.js';
export { checkContentType, MAXIMUM_HEAD_BYTES, singleHeader } from './admission/head-checks.js';
export type { Route } from './admission/route-table.js';
export {
  ResponseCaches,
  type CachedResponse,
  type CachedResponsesOptions,
  type ResponseCache,
  type RevisionOf,
} from './caching/cached-responses.js';
export type { Precondition } from './caching/conditional-requests.js';
export { ErrorFilter, ERRORS_PAGE, toApplicationError } from './errors/error.filter.js';
export { JsonNumber, parseJson, stringifyJson, type JsonValue } from './json/json.js';
export { createLogger, isHumanReadable, prettyDestination } from './logging/logger.js';
export { maskSecrets, setSecretPattern } from './logging/mask.js';
export { NestLogger } from './logging/nest-logger.js';
export type { ClientAddresses } from './logging/request-log.js';
export { HttpMetrics } from './metrics/http.metrics.js';
export { LoadShedder, OverloadedError, watchConnectionRush } from './overload/load-shedder.js';
export {
  decodeCursor,
  DEFAULT_LIMIT,
  encodeCursor,
  IsPageSize,
  LARGEST_LIMIT,
  linkNext,
  linkNextPage,
  pageOf,
  PageRequest,
  readsPage,
  type CursorFilter,
  type PageOf,
} from './pagination/pages.js';
export { keyIdOf, MAXIMUM_TARGET_BYTES, traceMembersOf } from './request/request-context.js';
export { Deprecated, type Deprecation } from './routes/deprecated.decorator.js';
export {
  bodyReader,
  fingerprintOf,
  IfMatch,
  MutuallyExclusiveWith,
  ReadBody,
  ReadHeader,
  readId,
  ReadId,
  readIdempotencyKey,
  readQuery,
  ReadQuery,
  readTexts,
  ResponseMediaType,
} from './input/read-request.js';
export {
  addRouteConfig,
  addRouteReads,
  AdmissionCheck,
  AdmittedBy,
  CacheByProjection,
  mediaTypesOf,
  membersOf,
  NoInput,
  Operation,
  routeConfigOf,
  setHandlerMetadata,
  setRouteMetadata,
  type CachedRoute,
  type DescribedAnswer,
  type DescribedBody,
  type DescribedOperation,
  type RouteAccess,
  type RouteReads,
} from './routes/route-metadata.js';
export { startOpenEnded, takeOverResponse } from './server/open-ended-response.js';
export { createFastifyAdapter, ServiceAdapter, type AdmissionPolicy, type FastifyAdapterOptions } from './server/service-adapter.js';
export type { CountUnreadable, MalformedRequestResult } from './server/socket-errors.js';
