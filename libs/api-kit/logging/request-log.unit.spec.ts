import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { RequestContext } from '../request/request-context.js';
import { createLogger } from './logger.js';
import { RequestLog } from './request-log.js';

const asked = fc.record({
  method: fc.constantFrom('GET', 'POST', 'M-SEARCH', undefined),
  target: fc.string({ unit: fc.constantFrom('"', '\\', '%22', '\n', 'é', 'a', '/', '?') }).map((text) => `/${text}`),
  status: fc.integer({ min: 100, max: 599 }),
  errorCode: fc.option(fc.constantFrom('unauthorized', 'rate_limited'), { nil: undefined }),
  clientAddress: fc.option(fc.constantFrom('192.0.2.7', '2001:db8:1:2::/64'), { nil: undefined }),
  caller: fc.option(fc.record({ keyId: fc.bigInt({ min: 1n, max: 9223372036854775807n }) }), { nil: undefined }),
});

function exchangeOf({
  method,
  target,
  status,
  errorCode,
  clientAddress,
  caller,
}: typeof asked extends fc.Arbitrary<infer Value> ? Value : never): RequestContext {
  const raw = Object.assign(new IncomingMessage(new Socket()), { method, url: target });
  const context = new RequestContext(raw, Object.assign(new ServerResponse(raw), { statusCode: status }));
  return Object.assign(context, { errorCode, clientAddress, request: { id: 'an.id-1', ...(caller && { caller }) } });
}

describe('the line of a request', () => {
  it('has the form of what the logger writes itself, whatever was asked', () => {
    fc.assert(
      fc.property(asked, (given) => {
        const lines: string[] = [];
        const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } });
        new RequestLog(logger).write(exchangeOf(given));
        const { route, durationMs, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
        const { method = '', status, errorCode: code, clientAddress, caller } = given;
        const keyId = caller?.keyId.toString();
        logger.info({ requestId: 'an.id-1', method, route, status, durationMs, code, clientAddress, keyId, aborted: true }, 'request');
        expect({ ...rest, route, durationMs, time: 0 }).toEqual({ ...(JSON.parse(lines[1] ?? '') as object), time: 0 });
        expect({ route, durationMs }).toEqual({ route: expect.any(String), durationMs: expect.any(Number) });
        expect(lines[0]).toMatch(/^[^\n]*\n$/);
      }),
    );
  });

  it('is not written below the level of the log', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } });
    new RequestLog(logger).write(
      exchangeOf({ method: 'GET', target: '/', status: 200, errorCode: undefined, clientAddress: undefined, caller: undefined }),
    );
    expect(lines).toEqual([]);
  });
});
