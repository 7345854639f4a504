import type { SpanContext } from '@opentelemetry/api';

/** Ids of zeros and the version ff are invalid. What a later version appends after the flags is ignored. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const VERSION = '00';
/** Sampled, and that the trace id is random: the flags that this version defines. */
const KNOWN_FLAGS = 0b11;

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
