export { checkContentType, type AdmissionHook } from './admission/admission.js';
export type { Route } from './admission/route-table.js';
export {
  ResponseCaches,
  type CachedResponse,
  type CachedResponsesOptions,
  type ResponseCache,
  type GetRevision,
} from './caching/cached-responses.js';
export { EnhancedHandlers, EnhancedHandlersModule } from './caching/enhanced-handlers.js';
export { setEntityTag, type Precondition } from './caching/conditional-requests.js';
export {
  composeModules,
  domainModule,
  type ComposedModules,
  type DomainModule,
  type ModuleContext,
  type ScopeDefinition,
} from './domain-modules/domain-module.js';
export {
  hours,
  integer,
  list,
  minutes,
  oneOf,
  parsed,
  seconds,
  setting,
  splitList,
  text,
  trueOrFalse,
  type ModuleSettings,
  type Setting,
  type SettingKind,
  type SettingValues,
} from './domain-modules/settings.js';
export { ErrorFilter, toApplicationError } from './errors/error.filter.js';
export { InputCommand, type Unchecked } from './input/input-command.js';
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
export { parseJson, stringifyJson, type JsonValue } from './json/json.js';
export { defineObject, definePage, defineResource, defineSchema, timeSchema } from './openapi/components.js';
export { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi/openapi-document.js';
export { serveReference, type ReferenceOptions } from './openapi/serve-reference.js';
export { namesThisMachine, type Resolve } from './outgoing/endpoint.js';
export { OutgoingHttp, type OutgoingHttpOptions, type PostOutcome, type PostRequest } from './outgoing/outgoing-http.js';
export { shedLoad, watchConnectionRush } from './overload/load-shedder.js';
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
export { CHANGELOG_PAGE, installPages } from './pages/install-pages.js';
export { HTML, html, installFiles, pagePolicy, serveFiles } from './pages/pages.js';
export {
  addTotalCount,
  EXPECTED_PART,
  filteredPageRequest,
  FilteredPageRequest,
  filteredRangeOf,
  isPartOfText,
  totalCountHeader,
} from './pagination/filtered-pages.js';
export { PublicEventCatalog, type PublicEventDefinitions } from './public-events/public-event-catalog.js';
export { PublicEventFollower, PublicEventsModule, type Following } from './public-events/public-event-follower.js';
export {
  backgroundTurn,
  matchesFilter,
  PublicEventLog,
  type PublicEventFilter,
  type PublicEventRange,
  type PublicEvents,
} from './public-events/public-event-log.js';
export {
  cloudEventSchema,
  cloudEventsSchema,
  findDataSchema,
  describeEvents,
  eventTypeSchema,
} from './public-events/public-event-schemas.js';
export { publicResource, TEST_TYPE, testEvent, testEventId, type PublicEvent, type PublicResource } from './public-events/public-event.js';
export { getKeyId, getTrace, getTraceMembers } from './request/request-fields.js';
export { Deprecated, type Deprecation } from './routes/deprecated.decorator.js';
export {
  addRouteReads,
  AdmissionCheck,
  AdmittedBy,
  CacheByProjection,
  getRouteConfig,
  listMembers,
  NoInput,
  Operation,
  setHandlerMetadata,
  KeptResponses,
  SkippedIfCached,
  type CachedRoute,
  type DescribedAnswer,
  type DescribedBody,
  type DescribedOperation,
  type RouteAccess,
  type RouteReads,
} from './routes/route-metadata.js';
export { startOpenEnded, takeResponse } from './server/open-ended-response.js';
export { findMetadataKey, toClass } from './routes/decorated-class.js';
export { createFastifyAdapter } from './server/server.js';
export { getServiceAdapter } from './server/service-adapter.js';
export type { CountUnreadable, MalformedRequestResult } from './server/raw-errors.js';
export { HttpMetrics, type ClientAddresses } from './telemetry/request-telemetry.js';
export {
  ApiDescription,
  assertNone,
  assertStorable,
  assertValid,
  createRule,
  getInputSchema,
  IfGiven,
  INT64_MAX,
  INT64_MIN,
  IsDuration,
  IsIdList,
  IsInt64,
  IsNullable,
  isText,
  IsText,
  IsTime,
  IsWholeNumber,
  parseDurationText,
  parseInt64,
  quoteGiven,
  Secret,
  TEXT_PATTERN,
  textErrors,
  validationErrors,
  type InputClass,
  type RuleSchema,
} from './validation/rules.js';
export { nearest } from './validation/nearest.js';
export { EXPECTED_TIME, parseTime } from './validation/time.js';
