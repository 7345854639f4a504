export { startTracing } from './start-tracing.js';
export { formatTraceparent, readTraceparent, type TraceContext } from './trace-context.js';
export { TracingModule } from './tracing.module.js';
export { NO_TRACING, Tracing, type Span, type SpanAttributes, type SpanDescription } from './tracing.js';
export { SAMPLERS, type TracingOptions, type TracingSettings } from './tracing-settings.js';
