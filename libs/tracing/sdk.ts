// All that is used of OpenTelemetry's packages, so that the build can put it into one small file (scripts/bundle-tracing.mjs).
export {
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type DiagLogger,
  type Span as SdkSpan,
  type Tracer,
} from '@opentelemetry/api';
export { ExportResultCode } from '@opentelemetry/core';
export { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
export { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
export {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
