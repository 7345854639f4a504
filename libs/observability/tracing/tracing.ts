import {
  context,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type SpanContext,
  type SpanOptions,
  type Tracer,
} from '@opentelemetry/api';
import { systemTimers } from '../clock/timers.js';
import { ApplicationError } from '../errors/application-error.js';

/** The values of `OTEL_TRACES_SAMPLER` (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Which traces are recorded, and their destination. */
export interface TracingSettings {
  /** The whole URL that OTLP over HTTP is posted to. */
  readonly url: string;
  /** Often secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that a ratio sampler records, from 0 to 1. */
  readonly ratio: number;
}

export interface TracingOptions {
  readonly settings: TracingSettings;
  /** `name` holds unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` says another; `deployment` is for example `production`. */
  readonly service: { readonly name: string; readonly version: string; readonly deployment: string };
  /** Called once a minute at most with the reason why spans are lost; never with a secret. */
  readonly warn: (message: string) => void;
}

/** Ids of zeros and the version ff are invalid. What a later version appends after the flags is ignored. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const VERSION = '00';
/** Sampled, and that the trace id is random: the flags that this version defines. */
const KNOWN_FLAGS = 0b11;

let tracer: Tracer | undefined;
let stopSdk: (() => Promise<void>) | undefined;
/** The API does not tell whether a span that is not recorded has ended. */
const ended = new WeakSet<Span>();

/** Starts OpenTelemetry's SDK, which is loaded only now. */
export async function startTracing(options: TracingOptions): Promise<void> {
  const { startSdk } = await import('./open-telemetry-sdk.js');
  ({ tracer, stop: stopSdk } = startSdk(options));
}

/** Sends what is not sent yet. Returns false if that took longer than `maxWaitMilliseconds`, so that something may still be under way. */
export async function endTracing(maxWaitMilliseconds: number): Promise<boolean> {
  tracer = undefined;
  return !stopSdk || (await systemTimers.within(stopSdk(), maxWaitMilliseconds)) !== undefined;
}

/** Whether spans are made at all. Nothing has to be described for one if not. */
export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Returns the span that the running code is part of, unless it has ended: loops that a request has started are not part of it. */
export function currentSpan(): Span | undefined {
  const span = trace.getActiveSpan();
  return span && !ended.has(span) ? span : undefined;
}

/** Starts a span below `parent`, perhaps of another process, or a trace without one. Returns undefined if tracing is off. */
export function startSpan(name: string, options: SpanOptions, parent?: SpanContext): Span | undefined {
  return tracer?.startSpan(name, options, parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
}

/** Ends a span. Code that still runs in it belongs to no trace from now on. */
export function endSpan(span: Span): void {
  ended.add(span);
  span.end(performance.now());
}

/** Marks a span as failed, without the message: that of a database error contains the query's values. `errorType` is of low cardinality. */
export function failSpan(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the context to run code in as part of a span, and of no other. */
export function withSpan(span: Span): Context {
  return trace.setSpan(ROOT_CONTEXT, span);
}

/** Runs `work` in a span below the current one. Without a recorded one it runs in no span: a poll that finds nothing leaves no trace. */
export function inChildSpan<Result>(name: string, options: SpanOptions, work: () => Result): Result {
  const parent = currentSpan();
  return parent?.isRecording() ? inSpan(name, options, parent.spanContext(), work) : work();
}

/** Runs `work` in a span below `parent`, or in a new trace without one. The span ends with `work`, or when its promise settles. */
export function inSpan<Result>(name: string, options: SpanOptions, parent: SpanContext | undefined, work: () => Result): Result {
  const span = startSpan(name, options, parent);
  if (!span) return work();
  try {
    const result = context.with(withSpan(span), work);
    if (!(result instanceof Promise)) endSpan(span);
    else {
      void result.then(
        () => endSpan(span),
        (error: unknown) => endWithError(span, error),
      );
    }
    return result;
  } catch (error) {
    endWithError(span, error);
    throw error;
  }
}

/** An error that is the caller's, such as an animal that does not exist, does not make the span a failed one. */
function endWithError(span: Span, error: unknown): void {
  if (error instanceof ApplicationError && error.status < 500) span.setAttribute('error.type', error.code);
  else failSpan(span, errorType(error));
  endSpan(span);
}

/** Returns the code of a driver's error, or the error's class. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : error.constructor.name;
}

/** Parses a `traceparent` header (https://www.w3.org/TR/trace-context/). Returns undefined if it is missing or malformed. */
export function readTraceparent(text: string | readonly string[] | undefined): SpanContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || (version === VERSION && rest !== undefined)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '', 16) & KNOWN_FLAGS, isRemote: true };
}

/** Formats a `traceparent` header. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `${VERSION}-${traceId}-${spanId}-0${traceFlags & KNOWN_FLAGS}`;
}
