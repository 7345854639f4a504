import { formatTraceparent, readTraceparent } from './tracing.js';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE_ID}-${SPAN_ID}-00`, 0],
    [`00-${TRACE_ID}-${SPAN_ID}-01`, 1],
    [`00-${TRACE_ID}-${SPAN_ID}-f9`, 1],
    [`cc-${TRACE_ID}-${SPAN_ID}-01-what-the-future-will-be-like`, 1],
  ])('is read: %s', (text, traceFlags) => {
    const context = { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags, isRemote: true };
    expect(readTraceparent(text)).toEqual(context);
    expect(formatTraceparent(context)).toBe(`00-${TRACE_ID}-${SPAN_ID}-0${traceFlags}`);
  });

  it.each([
    ...['', 'x', `ff-${TRACE_ID}-${SPAN_ID}-01`, `00-${'0'.repeat(32)}-${SPAN_ID}-01`, `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ...[`00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`, `00-${TRACE_ID.slice(1)}-${SPAN_ID}-01`, `00-${TRACE_ID}-${SPAN_ID}`],
    ...[`00-${TRACE_ID}-${SPAN_ID}-01-more`, `cc-${TRACE_ID}-${SPAN_ID}-01.more`, ` 00-${TRACE_ID}-${SPAN_ID}-01`, undefined],
    [`00-${TRACE_ID}-${SPAN_ID}-01`],
  ])('is none if it does not follow the standard: %j', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});
