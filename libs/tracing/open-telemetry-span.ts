import type { AsyncLocalStorage } from 'node:async_hooks';
import { SpanStatusCode, type Span as SdkSpan } from '@opentelemetry/api';
import { ApplicationError } from '#libs/errors';
import type { TraceContext } from './trace-context.js';
import type { Span, SpanAttributes } from './tracing.js';

/** A span of OpenTelemetry that knows whether it has ended: what runs on after that is not to be taken for a part of it. */
export class OpenTelemetrySpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  hasEnded = false;

  constructor(
    private readonly span: SdkSpan,
    private readonly running: AsyncLocalStorage<OpenTelemetrySpan | undefined>,
  ) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.traceFlags = traceFlags;
  }

  get isRecorded(): boolean {
    return this.span.isRecording();
  }

  run<Result>(work: () => Result): Result {
    return this.running.run(this, work);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  link(context: TraceContext): void {
    this.span.addLink({ context });
  }

  /** Without a message: that of a database error has the values of the query. */
  fail(errorType: string): void {
    this.span.setAttribute('error.type', errorType);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.hasEnded = true;
    this.span.end(performance.now());
  }

  /** Runs `work` in it, and ends it when that is over. */
  during<Result>(work: () => Result): Result {
    try {
      const result = this.run(work);
      if (result instanceof Promise) return this.until(result) as Result;
      this.end();
      return result;
    } catch (error) {
      this.endWith(error);
      throw error;
    }
  }

  private async until(settled: Promise<unknown>): Promise<unknown> {
    try {
      const result = await settled;
      this.end();
      return result;
    } catch (error) {
      this.endWith(error);
      throw error;
    }
  }

  /** A refusal, such as of an animal that is not there, is no failure of what refuses. */
  private endWith(error: unknown): void {
    if (error instanceof ApplicationError && error.status < 500) this.set({ 'error.type': error.code });
    else this.fail(typeOf(error));
    this.end();
  }
}

/** What it says it is: a code of a driver, or its class. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : error.constructor.name;
}
