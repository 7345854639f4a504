export { Clock, SystemClock, TOLERATED_SKEW_MILLISECONDS } from './clock/clock.js';
export { ClockModule } from './clock/clock.module.js';
export { systemTimers, Timers } from './clock/timers.js';
export {
  ApplicationError,
  type FieldError,
  invalidMember,
  invalidParameter,
  InvalidValuesError,
  MAX_FIELD_ERRORS,
  NotFoundError,
} from './errors/application-error.js';
export { coreErrors, errorCodes, type ErrorCode, type ErrorCodes, type ErrorDefinition } from './errors/core-errors.js';
export { StartupError, toListenError } from './errors/startup-error.js';
export { countDroppedLines, guardedOutput } from './logging/guarded-output.js';
export { createLogger, NestLogger, prettyDestination } from './logging/logger.js';
export { maskPath, maskSecrets, printableLine, setSecretPattern } from './logging/safe-text.js';
export { CachedReading } from './monitoring/cached-reading.js';
export { Health, type HealthIndicatorResult, type HealthReport } from './monitoring/health.js';
export { ManagementServer, formatOrigin, type ManagementPage } from './monitoring/management-server.js';
export { MetricsRegistry, MonitoringModule, type Sample } from './monitoring/monitoring.module.js';
export { cliCommand, runtimeKind } from './runtime/runtime-kind.js';
export {
  SAMPLERS,
  type TracingSettings,
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
