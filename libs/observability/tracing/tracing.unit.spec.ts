import fc from 'fast-check';
import { formatTraceparent, readTraceparent } from './tracing.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';

const DIGITS = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];

const hexadecimal = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...DIGITS), minLength: digits, maxLength: digits }).filter((text) => /[^0]/.test(text));

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE_ID}-${SPAN_ID}-00`, 0],
    [`00-${TRACE_ID}-${SPAN_ID}-01`, 1],
    [`00-${TRACE_ID}-${SPAN_ID}-f9`, 1],
    [`cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-will-be-like`, 1],
  ])('is read: %s', (text, traceFlags) => {
    expect(readTraceparent(text)).toEqual({ traceId: TRACE_ID, spanId: SPAN_ID, traceFlags, isRemote: true });
  });

  it.each([
    ...['', 'x', `ff-${TRACE_ID}-${SPAN_ID}-01`, `00-${'0'.repeat(32)}-${SPAN_ID}-01`, `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ...[`00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`, `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`, `00-${TRACE_ID}-${SPAN_ID}`],
    ...[`00-${TRACE_ID}-${SPAN_ID}-01-more`, `cc-${TRACE_ID}-${SPAN_ID}-01.more`, ` 00-${TRACE_ID}-${SPAN_ID}-01`, undefined],
    [`00-${TRACE_ID}-${SPAN_ID}-01`],
  ])('is none if it does not follow the standard: %j', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });

  it('is written as it is read', () => {
    fc.assert(
      fc.property(hexadecimal(32), hexadecimal(16), fc.constantFrom(0, 1, 2, 3), (traceId, spanId, traceFlags) => {
        const context = { traceId, spanId, traceFlags, isRemote: true };
        expect(readTraceparent(formatTraceparent(context))).toEqual(context);
      }),
    );
  });
});
