import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { settledWithin } from '#libs/clock';
import { OpenTelemetrySpan } from './open-telemetry-span.js';
import type { TraceContext } from './trace-context.js';
import { Tracing, type SpanDescription } from './tracing.js';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Traces with OpenTelemetry's SDK. What runs now is known from Node's own storage for what is asynchronous. */
export class OpenTelemetryTracing extends Tracing {
  readonly isOn = true;
  private readonly running = new AsyncLocalStorage<OpenTelemetrySpan | undefined>();
  private readonly tracer: Tracer;

  constructor(private readonly provider: TracerProvider) {
    super();
    this.tracer = provider.getTracer('animal-adoption-service');
  }

  get current(): OpenTelemetrySpan | undefined {
    const span = this.running.getStore();
    return span?.hasEnded ? undefined : span;
  }

  start(parent: TraceContext | undefined, { name, kind = 'internal', attributes, links, startedAt }: SpanDescription): OpenTelemetrySpan {
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent)) : ROOT_CONTEXT;
    const options = {
      kind: KINDS[kind],
      ...(attributes && { attributes }),
      ...(links && { links: links.map((link) => ({ context: toSpanContext(link) })) }),
      ...(startedAt !== undefined && { startTime: startedAt }),
    };
    return new OpenTelemetrySpan(this.tracer.startSpan(name, options, context), this.running);
  }

  span<Result>(description: SpanDescription, work: () => Result): Result {
    const { current } = this;
    return current?.isRecorded ? this.start(current, description).during(work) : work();
  }

  spanBelow<Result>(parent: TraceContext | undefined, description: SpanDescription, work: () => Result): Result {
    return parent ? this.start(parent, description).during(work) : this.running.run(undefined, work);
  }

  trace<Result>(description: SpanDescription, work: () => Result, parent: TraceContext | undefined = this.current): Result {
    return this.start(parent, description).during(work);
  }

  async end(patience: number): Promise<boolean> {
    return settledWithin(this.provider.shutdown(), patience);
  }
}

/** Of another process, unless it is a span of this one. */
function toSpanContext(context: TraceContext) {
  const { traceId, spanId, traceFlags } = context;
  return { traceId, spanId, traceFlags, isRemote: !(context instanceof OpenTelemetrySpan) };
}
