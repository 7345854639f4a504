import 'reflect-metadata';
import { Controller, Get } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Throttle } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { createLogger, Clock } from '#libs/observability';
import { ErrorFilter } from '#libs/http';
import { SettableClock } from '#libs/testing';
import type { Caller } from '../../auth/index.js';
import { InProcessLimiterStore } from '../store/in-process-limiter.store.js';
import { LimiterStore } from '../store/limiter.store.js';
import { RATE_LIMITS } from '../admission/rate-limit.hook.js';
import { RouteLimitGuard } from '../admission/route-limit.guard.js';

@Controller()
class SampleController {
  @Get('free')
  free(): void {}

  @Get('slow')
  @Throttle({ default: { limit: 2, ttl: 10_000 } })
  slow(): void {}

  @Get('twice')
  @Throttle({ second: { limit: 1, ttl: 1_000 }, minute: { limit: 2, ttl: 60_000 } })
  twice(): void {}
}

const clock = new SettableClock();

const sample = Test.createTestingModule({
  controllers: [SampleController],
  providers: [
    { provide: Clock, useValue: clock },
    { provide: LimiterStore, useValue: new InProcessLimiterStore({ after: 0, grace: 0, ladder: [1] }) },
    { provide: RATE_LIMITS, useValue: { createBurstPerSecond: 0 } },
    { provide: APP_GUARD, useClass: RouteLimitGuard },
    { provide: APP_FILTER, useValue: new ErrorFilter(createLogger({ level: 'silent' })) },
  ],
});

describe('@Throttle on a handler', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    app = (await sample.compile()).createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', (request: FastifyRequest, _reply, done) => {
        const key = request.headers['x-test-key'];
        Object.assign(request, { context: {} });
        if (key !== undefined) request.caller = { actor: String(key) } as Caller;
        done();
      });
    await app.init();
  });
  afterAll(() => app.close());
  // Each test has a minute, and so windows, of its own.
  beforeEach(() => clock.advance(60_000));

  const get = (path: string, key = 'api-key-1') => app.inject({ url: `/${path}`, headers: { 'x-test-key': key } });
  const statuses = async (path: string, count: number, key?: string) => {
    const found: number[] = [];
    for (let sent = 0; sent < count; sent += 1) found.push((await get(path, key)).statusCode);
    return found;
  };

  it('limits it by API key, tells the wait in the form of the service, and does not affect other keys and handlers', async () => {
    expect(await statuses('slow', 3)).toEqual([200, 200, 429]);
    expect(await statuses('slow', 1, 'api-key-2')).toEqual([200]);
    expect(await statuses('free', 20)).toEqual(Array(20).fill(200));
    clock.advance(12_500);
    await statuses('slow', 2);
    const refused = await get('slow');
    expect(refused.json()).toEqual({ code: 'rate_limited', message: expect.any(String), status: 429 });
    expect(refused.headers['retry-after']).toBe('8');
    expect(Object.keys(refused.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    clock.advance(8_000);
    expect(await statuses('slow', 1)).toEqual([200]);
  });

  it('may set several limits', async () => {
    expect(await statuses('twice', 2)).toEqual([200, 429]);
    clock.advance(1_000);
    expect(await statuses('twice', 1)).toEqual([200]);
    clock.advance(1_000);
    expect(await statuses('twice', 1)).toEqual([429]);
  });
});
