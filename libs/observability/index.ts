export { Clock, SystemClock, TOLERATED_SKEW_MILLISECONDS } from './clock/clock.js';
export { ClockModule } from './clock/clock.module.js';
export { fulfilledWithin, settledWithin } from './clock/settled-within.js';
export {
  ApplicationError,
  errorCodes,
  errorTable,
  type ApplicationErrorOptions,
  type ErrorBody,
  type ErrorCode,
  type ErrorCodes,
  type ErrorDefinition,
} from './errors/application-error.js';
export { explainErrors, type ErrorExplanation } from './errors/error-explanations.js';
export { createLogger, isHumanReadable, prettyDestination } from './logging/logger.js';
export { maskSecrets, setSecretPattern, maskPath, getRequestId } from './logging/mask.js';
export { NestLogger } from './logging/nest-logger.js';
export { CachedReading, type CachedReadingOptions } from './monitoring/cached-reading.js';
export { Health, HealthCatalog, type HealthIndicator, type HealthIndicatorResult, type HealthReport } from './monitoring/health.js';
export { Html, html, type HtmlPart } from './monitoring/html.js';
export { serveIndex, type IndexPage } from './monitoring/index-page.js';
export {
  CSS,
  HTML,
  JAVASCRIPT,
  keptKeyScript,
  readPageFile,
  serveLocalPage,
  type LocalPage,
  type PageFile,
} from './monitoring/local-page.js';
export {
  ManagementServer,
  formatOrigin,
  type ManagementAddress,
  type ManagementAnswer,
  type ManagementPage,
  type ManagementRequest,
} from './monitoring/management-server.js';
export { MetricsRegistry } from './monitoring/metrics-registry.js';
export { MonitoringModule } from './monitoring/monitoring.module.js';
export type { RetentionRule } from './monitoring/retention-rule.js';
export { CircuitBreaker, type CircuitBreakerOptions } from './resilience/circuit-breaker.js';
export { cliCommand, installationFolder, runtimeKind, type RuntimeKind } from './runtime/runtime-kind.js';
export { isInWritableLayer } from './runtime/writable-layer.js';
export { SAMPLERS, type TracingSettings } from './tracing/tracing-settings.js';
export {
  formatTraceparent,
  readTraceparent,
  startTracing,
  endTracing,
  isTracing,
  currentSpan,
  startSpan,
  endSpan,
  failSpan,
  withSpan,
  inChildSpan,
  inSpan,
} from './tracing/tracing.js';
export { hasColours, printableLine } from './logging/printable-line.js';
