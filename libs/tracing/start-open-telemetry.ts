import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { OpenTelemetryTracing } from './open-telemetry.js';
import type { Tracing } from './tracing.js';
import type { TracedService, TracingOptions, TracingSettings } from './tracing-settings.js';

const WARNING_EVERY_MILLISECONDS = 60_000;
/** Such as a statement that inserts many rows. */
const LONGEST_VALUE = 2_048;

/** Starts OpenTelemetry's SDK. What it takes from its variables itself is told in docs/operations.md. */
export function startOpenTelemetry({ settings, service, warn }: TracingOptions): Tracing {
  const { origin, pathname } = new URL(settings.url);
  const tell = seldom(WARNING_EVERY_MILLISECONDS, (reason) => warn(`Traces are lost, which are sent to ${origin}${pathname}: ${reason}`));
  diag.setLogger(diagnosticsTold(tell), DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: settings.url, headers: { ...settings.headers } });
  return new OpenTelemetryTracing(
    new TracerProvider({
      resource: resourceOf(service),
      sampler: samplerOf(settings),
      spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
      spanProcessors: [new BatchSpanProcessor({ exporter: failuresTold(exporter, tell) })],
    }),
  );
}

/** What the variables say wins, as everywhere. */
function resourceOf({ name, version, deployment }: TracedService): Resource {
  const own = resourceFromAttributes({
    'service.name': name,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'deployment.environment.name': deployment,
    'host.name': hostname(),
    'process.pid': process.pid,
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

function samplerOf({ sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>): Sampler {
  const own = sampler.replace('parentbased_', '');
  const root =
    own === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : own === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
  return own === sampler ? root : new ParentBasedSampler({ root });
}

/** An exporter whose failures are told here. The processor would have them logged with all that the other side has answered. */
function failuresTold(exporter: OTLPTraceExporter, tell: (reason: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (code !== ExportResultCode.SUCCESS) tell(error ? reasonOf(error) : 'the reason is not known');
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

/** A status is a code too, and not in the message. */
function reasonOf({ message, code }: Error & { readonly code?: string | number }): string {
  return code === undefined || message.includes(String(code)) ? message : `${code} ${message}`;
}

/** What the SDK says of itself, such as of spans that it has dropped, since more came than it could send. */
function diagnosticsTold(tell: (reason: string) => void) {
  const none = (): void => undefined;
  return { error: tell, warn: tell, info: none, debug: none, verbose: none };
}

/** Lets one of many calls through, and those that follow only after a while. */
function seldom(milliseconds: number, tell: (message: string) => void): (message: string) => void {
  let toldAt = -Infinity;
  return (message) => {
    const now = performance.now();
    if (now - toldAt < milliseconds) return;
    toldAt = now;
    tell(message);
  };
}
