import { Controller, Get } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Throttle } from '@nestjs/throttler';
import { Clock } from '#libs/observability';
import { SettableClock } from '#libs/testing';
import { createControllersApp } from '../../libs/http/testing/controllers-app.js';
import { Public } from '../../src/auth/index.js';
import { RATE_LIMITS } from '../../src/rate-limiting/admission/rate-limit.hook.js';
import { LimitsCreateBurst, RouteLimitGuard } from '../../src/rate-limiting/admission/route-limit.guard.js';
import { InProcessLimiterStore } from '../../src/rate-limiting/store/in-process-limiter.store.js';
import { LimiterStore } from '../../src/rate-limiting/store/limiter.store.js';

@Public()
@Controller()
class NotesController {
  @Get('free')
  free(): void {}

  @Get('named')
  @Throttle({ default: { limit: 3, ttl: 60_000 } })
  named(): void {}

  @Get('burst')
  @LimitsCreateBurst()
  burst(): void {}

  @Get('both')
  @Throttle({ default: { limit: 1, ttl: 60_000 } })
  @LimitsCreateBurst()
  both(): void {}

  @Get('other')
  @Throttle({ another: { limit: 1, ttl: 60_000 } })
  other(): void {}
}

describe('a limit of a single route', () => {
  it.each([
    [2, { free: 5, named: 3, burst: 2, both: 1, other: 5 }],
    [0, { free: 5, named: 3, burst: 5, both: 1, other: 5 }],
  ])('is the one that its handler names, with %i for bursts', async (createBurstPerSecond, admitted) => {
    const providers = [
      { provide: RATE_LIMITS, useValue: { createBurstPerSecond } },
      { provide: LimiterStore, useClass: InProcessLimiterStore },
      { provide: Clock, useValue: new SettableClock() },
      { provide: APP_GUARD, useClass: RouteLimitGuard },
    ];
    const { app } = await createControllersApp({ controllers: [NotesController], providers });
    await app.listen(0, '127.0.0.1');
    const origin = await app.getUrl();
    const count = async (path: string): Promise<number> => {
      const statuses: number[] = [];
      for (let sent = 0; sent < 5; sent += 1) statuses.push((await fetch(`${origin}/${path}`)).status);
      expect(statuses.slice().sort()).toEqual(statuses);
      return statuses.filter((status) => status === 200).length;
    };
    const found = Object.fromEntries(await Promise.all(Object.keys(admitted).map(async (path) => [path, await count(path)])));
    expect(found).toEqual(admitted);
    await app.close();
  });
});
