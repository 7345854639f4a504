export { checkContentType, type AdmissionHook } from './admission/admission.js';
export type { Route } from './admission/route-table.js';
export {
  ResponseCaches,
  type CachedResponse,
  type CachedResponsesOptions,
  type ResponseCache,
  type GetRevision,
} from './caching/cached-responses.js';
export type { Precondition } from './caching/conditional-requests.js';
export {
  composeModules,
  domainModule,
  type ComposedModules,
  type DomainModule,
  type ScopeDefinition,
} from './domain-modules/domain-module.js';
export { ErrorFilter, toApplicationError } from './errors/error.filter.js';
export {
  bodyReader,
  computeFingerprint,
  IfMatch,
  MutuallyExclusiveWith,
  ReadBody,
  ReadHeader,
  readId,
  ReadId,
  readIdempotencyKey,
  ReadQuery,
  readTexts,
  ResponseMediaType,
} from './input/read-request.js';
export { JsonNumber, parseJson, stringifyJson, type JsonValue } from './json/json.js';
export { definePage, defineSchema, timeSchema } from './openapi/components.js';
export { installReference } from './openapi/install-reference.js';
export { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi/openapi-document.js';
export type { ReferenceOptions } from './openapi/reference/reference-html.js';
export type { Resolve } from './outgoing/endpoint.js';
export { OutgoingHttp, type OutgoingHttpOptions, type PostOutcome, type PostRequest } from './outgoing/outgoing-http.js';
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
  type CursorFilter,
  type PageOf,
} from './pagination/pages.js';
export { PublicEventCatalog, type PublicEventDefinitions } from './public-events/public-event-catalog.js';
export { PublicEventFollower, type Following, type NewEvents } from './public-events/public-event-follower.js';
export {
  backgroundTurn,
  matchesFilter,
  PublicEventLog,
  type PublicEventFilter,
  type PublicEventRange,
  type PublicEvents,
} from './public-events/public-event-log.js';
export { cloudEventsSchema, findDataSchema, describeWebhooks, eventTypeSchema } from './public-events/public-event-schemas.js';
export { publicResource, TEST_TYPE, testEvent, testEventId, type PublicEvent, type PublicResource } from './public-events/public-event.js';
export { PublicEventsModule } from './public-events/public-events.module.js';
export { getKeyId, getTraceMembers } from './request/request-context.js';
export { Deprecated, type Deprecation } from './routes/deprecated.decorator.js';
export {
  addRouteReads,
  AdmissionCheck,
  AdmittedBy,
  CacheByProjection,
  listMembers,
  NoInput,
  Operation,
  setHandlerMetadata,
  type CachedRoute,
  type DescribedAnswer,
  type DescribedBody,
  type DescribedOperation,
  type RouteAccess,
  type RouteReads,
} from './routes/route-metadata.js';
export { startOpenEnded, takeResponse } from './server/open-ended-response.js';
export { createFastifyAdapter, ServiceAdapter, type AdmissionPolicy, type FastifyAdapterOptions } from './server/service-adapter.js';
export type { CountUnreadable, MalformedRequestResult } from './server/socket-errors.js';
export { HttpMetrics, type ClientAddresses } from './telemetry/request-telemetry.js';
export {
  assertStorable,
  createRule,
  parseDurationText,
  IfGiven,
  INT64_MAX,
  INT64_MIN,
  IsDuration,
  IsIdList,
  IsInt64,
  isText,
  IsText,
  IsWholeNumber,
  parseInt64,
  IsNullable,
  TEXT_PATTERN,
  textErrors,
  type RuleSchema,
} from './validation/rules.js';
export {
  assertValid,
  ApiDescription,
  getInputSchema,
  validationErrors,
  type InputClass,
  type InputSchema,
} from './validation/validation.js';
