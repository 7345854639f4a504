export type { Route } from './admission/route-table.js';
export type { AdmissionHook } from './admission/admission.js';
export { checkContentType } from './admission/representation-checks.js';
export type { CachedResponsesOptions, RevisionOf } from './caching/cached-responses.js';
export { CacheByProjection, type CachedRoute } from './caching/cache-by-projection.decorator.js';
export type { Precondition } from './caching/conditional-writes.js';
export { IfMatch } from './caching/if-match.decorator.js';
export { ResponseCaches, type CachedResponse, type ResponseCache } from './caching/response-cache.js';
export { ErrorFilter } from './errors/error.filter.js';
export { toApplicationError } from './errors/to-application-error.js';
export { AnswerMediaType } from './exchange/answer-media-type.decorator.js';
export { keyIdOf, traceMembersOf } from './exchange/exchange.js';
export { ERRORS_PAGE } from './exchange/help-link.js';
export { MAXIMUM_HEAD_BYTES } from './exchange/request-head.js';
export { MAXIMUM_TARGET_BYTES } from './exchange/request-target.js';
export { startOpenEnded, takeOverAnswer } from './exchange/open-ended-answer.js';
export { JsonNumber, parseJson, type JsonValue } from './json/parse-json.js';
export { stringifyJson } from './json/stringify-json.js';
export { createLogger, isHumanReadable, prettyDestination } from './logging/logger.js';
export { maskSecrets, setSecretPattern } from './logging/mask.js';
export { NestLogger } from './logging/nest-logger.js';
export type { ClientAddresses } from './logging/request-log.js';
export { HttpMetrics } from './metrics/http.metrics.js';
export { ConnectionRush } from './overload/connection-rush.js';
export { LoadShedder, OverloadedError, type LoadShedderOptions } from './overload/load-shedder.js';
export { decodeCursor, encodeCursor, type CursorFilter } from './pagination/cursor.js';
export {
  DEFAULT_LIMIT,
  IsPageSize,
  LARGEST_LIMIT,
  linkNext,
  linkNextPage,
  pageOf,
  PageRequest,
  readsPage,
  type PageOf,
} from './pagination/page-request.js';
export { AdmissionCheck, AdmittedBy } from './routes/admitted-by.decorator.js';
export type { RouteAccess } from './routes/route-config.js';
export { addRouteConfig, routeConfigOf, setHandlerMetadata, setRouteMetadata } from './routes/route-config.js';
export { fingerprintOf, readIdempotencyKey } from './requests/idempotency-key.js';
export { bodyReader, ReadBody } from './requests/read-body.decorator.js';
export { MutuallyExclusiveWith } from './requests/mutually-exclusive-with.decorator.js';
export { ReadHeader } from './requests/read-header.decorator.js';
export { ReadId, readId } from './requests/read-id.decorator.js';
export { ReadQuery, readQuery, readTexts } from './requests/read-query.decorator.js';
export { addRouteReads, mediaTypesOf, membersOf, NoInput, type DescribedBody, type RouteReads } from './requests/route-contract.js';
export { Deprecated, type Deprecation } from './routes/deprecated.decorator.js';
export { Operation, type DescribedAnswer, type DescribedOperation } from './routes/operation.decorator.js';
export { singleHeader } from './exchange/single-header.js';
export { createFastifyAdapter, type FastifyAdapterOptions } from './server/create-fastify-adapter.js';
export type { CountUnreadable, MalformedRequestResult } from './server/socket-error-writer.js';
export { ServiceAdapter, type AdmissionPolicy } from './server/service-adapter.js';
