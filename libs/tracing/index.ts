export { formatTraceparent, readTraceparent } from './trace-context.js';
export * from './tracing.js';
export { SAMPLERS, type TracingSettings } from './tracing-settings.js';
