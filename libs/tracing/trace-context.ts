/** Where a trace stands: what a `traceparent` says (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: whether whoever began the trace, or continued it, records it. */
  readonly traceFlags: number;
}

/** Ids of zeros and the version ff mean nothing. What a version of the future puts behind the flags is left out. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const VERSION = '00';
/** Those that this version defines: sampled, and that the trace id is random. */
const KNOWN_FLAGS = 0b11;

/** What a `traceparent` header says; undefined where there is none, or one that is not exactly as the standard has it. */
export function readTraceparent(text: string | readonly string[] | undefined): TraceContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || (version === VERSION && rest !== undefined)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '', 16) & KNOWN_FLAGS };
}

/** It as a `traceparent` header. */
export function formatTraceparent({ traceId, spanId, traceFlags }: TraceContext): string {
  return `${VERSION}-${traceId}-${spanId}-0${traceFlags & KNOWN_FLAGS}`;
}
