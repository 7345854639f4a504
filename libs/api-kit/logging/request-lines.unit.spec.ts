import fc from 'fast-check';
import { pino } from 'pino';
import { RequestLines, type RequestLogFields } from './request-lines.js';

const fields: fc.Arbitrary<RequestLogFields> = fc.record({
  requestId: fc.uuid(),
  method: fc.constantFrom('GET', 'POST', 'M-SEARCH', undefined),
  route: fc.string({ unit: 'binary' }),
  status: fc.integer({ min: 100, max: 599 }),
  durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
  keyId: fc.constantFrom('7', '9223372036854775807', undefined),
  aborted: fc.boolean(),
});

describe('the line of a request', () => {
  it.each([undefined, null])('is what pino itself would write, whatever is in it (base %j)', (base) => {
    fc.assert(
      fc.property(fields, (given) => {
        const lines: string[] = [];
        const logger = pino({ ...(base === null && { base }) }, { write: (line) => void lines.push(line) });
        new RequestLines(logger).write('info', given);
        logger.info({ ...given, method: given.method ?? '', aborted: given.aborted || undefined }, 'request');
        const [ours, pinos] = lines.map((line) => ({ ...(JSON.parse(line) as object), time: 0 }));
        expect(ours).toEqual(pinos);
        expect(lines[0]).toMatch(/^[^\n]*\n$/);
      }),
    );
  });
});
