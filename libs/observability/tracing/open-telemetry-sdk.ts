import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  context,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  trace,
  type Context,
  type ContextManager,
  type Exception,
  type Tracer,
} from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
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
} from '@opentelemetry/sdk-trace';
import type { TracingOptions, TracingSettings } from './tracing.js';

const WARNING_INTERVAL_MILLISECONDS = 60_000;
/** For example a statement that inserts many rows. */
const MAX_VALUE_LENGTH = 2_048;

/** Starts OpenTelemetry's SDK. docs/operate/monitoring.md lists the variables that it reads itself. */
export function startSdk({ settings, service, warn }: TracingOptions): { readonly tracer: Tracer; readonly stop: () => Promise<void> } {
  const { origin, pathname } = new URL(settings.url);
  const report = atMostEvery(WARNING_INTERVAL_MILLISECONDS, (reason) =>
    warn(`Traces are lost, which are sent to ${origin}${pathname}: ${reason}`),
  );
  const ignore = (): void => undefined;
  // For example of spans that the SDK drops because more come than it can send.
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  // By default a failure of the exporter is logged with all that the collector has answered.
  setGlobalErrorHandler((error) => report(describeError(error)));
  const exporter = new OTLPTraceExporter({ url: settings.url, headers: { ...settings.headers } });
  const provider = new TracerProvider({
    resource: createResource(service),
    sampler: createSampler(settings),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(contextManager);
  trace.setGlobalTracerProvider(provider);
  return { tracer: trace.getTracer(service.name, service.version), stop: () => provider.shutdown() };
}

const contexts = new AsyncLocalStorage<Context>();

/** Passes the context on along Node's asynchronous calls. */
const contextManager: ContextManager = {
  active: () => contexts.getStore() ?? ROOT_CONTEXT,
  with: (active, work, thisArgument, ...values) =>
    contexts.run(active, () => work.apply(thisArgument as ThisParameterType<typeof work>, values)),
  bind: (_context, target) => target,
  enable() {
    return this;
  },
  disable() {
    return this;
  },
};

/** The variables' values win. */
function createResource({ name, version, deployment }: TracingOptions['service']): Resource {
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

function createSampler({ sampler, ratio }: Pick<TracingSettings, 'sampler' | 'ratio'>): Sampler {
  const own = sampler.replace('parentbased_', '');
  const root =
    own === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : own === 'always_on' ? new AlwaysOnSampler() : new AlwaysOffSampler();
  return own === sampler ? root : new ParentBasedSampler({ root });
}

/** The code may be an HTTP status, which the message does not contain. */
function describeError(error: Exception): string {
  if (typeof error === 'string') return error;
  const { message = 'the reason is not known', code } = error;
  return code === undefined || message.includes(String(code)) ? message : `${code} ${message}`;
}

function atMostEvery(milliseconds: number, report: (message: string) => void): (message: string) => void {
  let reportedAt = -Infinity;
  return (message) => {
    const now = performance.now();
    if (now - reportedAt < milliseconds) return;
    reportedAt = now;
    report(message);
  };
}
