export { checkContentType, chooseMediaType, type AdmissionHook } from './admission/admission.js';
export type { Route } from './admission/route-table.js';
export { ResponseCaches, type CachedResponse, type CachedResponsesOptions, type ResponseCache } from './caching/cached-responses.js';
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
  type SettingValues,
} from './domain-modules/settings.js';
export { ErrorFilter, toApplicationError } from './errors/error.filter.js';
export { inputCommand, InputCommand, toValid, type Unchecked } from './input/input-command.js';
export {
  bodyReader,
  IfMatch,
  MutuallyExclusiveWith,
  ReadBody,
  ReadHeader,
  readId,
  ReadId,
  readIdempotencyKey,
  readParameter,
  readQuery,
  ReadQuery,
  readTexts,
  ResponseMediaType,
} from './input/read-request.js';
export { parseJson, stringifyJson, type JsonValue } from './json/json.js';
export { defineObject, definePage, defineResource, defineSchema, timeSchema } from './openapi/components.js';
export { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi/openapi-document.js';
export { serveReference } from './openapi/serve-reference.js';
export { namesThisMachine } from './outgoing/endpoint.js';
export { OutgoingHttp, type PostOutcome, type PostRequest } from './outgoing/outgoing-http.js';
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
} from './pagination/pages.js';
export { CHANGELOG_PAGE, installPages } from './pages/install-pages.js';
export { HTML, html, installFiles, pagePolicy, serveFiles } from './pages/pages.js';
export { addTotalCount, filteredPageRequest, filteredRangeOf, TEXT_FILTER, totalCountHeader } from './pagination/filtered-pages.js';
export { PublicEventCatalog } from './public-events/public-event-catalog.js';
export { PublicEventFollower, PublicEventsModule, type Following } from './public-events/public-event-follower.js';
export {
  backgroundTurn,
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
export { publicResource, TEST_TYPE, testEvent, testEventId, type PublicEvent } from './public-events/public-event.js';
export { getKeyId, getTrace, getTraceMembers } from './request/request-fields.js';
export { Deprecated } from './routes/deprecated.decorator.js';
export {
  AdmissionCheck,
  AdmittedBy,
  CacheByProjection,
  NoInput,
  Operation,
  setHandlerMetadata,
  KeptResponses,
  SkippedIfCached,
  type DescribedAnswer,
  type DescribedBody,
  type DescribedOperation,
} from './routes/route-metadata.js';
export { startOpenEnded, takeResponse } from './server/open-ended-response.js';
export { findMetadataKey, toClass } from './routes/decorated-class.js';
export { createFastifyAdapter } from './server/server.js';
export { getServiceAdapter } from './server/service-adapter.js';
export { HttpMetrics, type ClientAddresses } from './telemetry/request-telemetry.js';
export {
  ApiDescription,
  inputNames,
  pick,
  assertNone,
  assertStorable,
  assertValid,
  createRule,
  expectedText,
  getInputSchema,
  IfGiven,
  INT64_MAX,
  INT64_MIN,
  IsDuration,
  IsInt64,
  IsInt64List,
  IsNullable,
  isText,
  IsText,
  IsTime,
  IsWholeNumber,
  parseDurationText,
  parseInt64,
  TEXT_PATTERN,
  textErrors,
  quoteGiven,
  Secret,
  validationErrors,
} from './validation/rules.js';
export { nearest } from './validation/nearest.js';
export { expectedTime, parseTime } from './validation/time.js';
