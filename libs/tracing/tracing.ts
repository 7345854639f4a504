import type { TraceContext } from './trace-context.js';

/** Names and values as the semantic conventions of OpenTelemetry have them. Never a key, a body or a query with values. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanDescription {
  /** Of low cardinality: without ids and values. */
  readonly name: string;
  /** `server` for what is asked of the service, `client` for what it asks of others; `internal` when left out. */
  readonly kind?: 'server' | 'client' | 'internal';
  readonly attributes?: SpanAttributes;
  /** What else it is for, or comes from, beside its parent. */
  readonly links?: readonly TraceContext[];
  /** On the time line of `performance.now()`; now when left out. */
  readonly startedAt?: number;
}

/** A part of a trace that is under way. */
export interface Span extends TraceContext {
  /** Whether it is sent once it has ended. */
  readonly isRecorded: boolean;
  /** Runs `work`, and what follows from it, as a part of the span. */
  run<Result>(work: () => Result): Result;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  link(other: TraceContext): void;
  /** @param errorType of low cardinality, such as the name of a class of errors */
  fail(errorType: string): void;
  /** Once; what goes on in it afterwards belongs to no trace any more. */
  end(): void;
}

/** The traces of what the service does. */
export abstract class Tracing {
  /** False where no span is ever made, so that none has to be described. */
  abstract readonly isOn: boolean;

  /** The span that what runs now is a part of; undefined outside of any, and where that one has ended. */
  abstract readonly current: Span | undefined;

  /** Begins a span below `parent`, perhaps of another process, or a trace of its own where there is none. Undefined where it is off. */
  abstract start(parent: TraceContext | undefined, description: SpanDescription): Span | undefined;

  /**
   * Runs `work` in a span below the current one, which ends when `work` has returned or what it returned has settled. In none where there
   * is no current one: what runs by itself, such as a look for what is due, is in no trace.
   */
  abstract span<Result>(description: SpanDescription, work: () => Result): Result;

  /** The same below `parent`, whatever runs now; in none where it is undefined. */
  abstract spanBelow<Result>(parent: TraceContext | undefined, description: SpanDescription, work: () => Result): Result;

  /** The same below the current one, or `parent`; a trace of its own where there is neither. */
  abstract trace<Result>(description: SpanDescription, work: () => Result, parent?: TraceContext): Result;

  /** Sends what is not sent yet, within so many milliseconds. @returns false where something may be under way still */
  abstract end(patience: number): Promise<boolean>;
}

/** Traces nothing. */
class NoTracing extends Tracing {
  readonly isOn = false;
  readonly current = undefined;

  start(): undefined {
    return undefined;
  }

  span<Result>(_description: SpanDescription, work: () => Result): Result {
    return work();
  }

  spanBelow<Result>(_parent: TraceContext | undefined, _description: SpanDescription, work: () => Result): Result {
    return work();
  }

  trace<Result>(_description: SpanDescription, work: () => Result): Result {
    return work();
  }

  end(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

/** What is there where nobody asks for traces. */
export const NO_TRACING: Tracing = new NoTracing();
