import { Controller, Get, Injectable, UseGuards, UseInterceptors, UsePipes, type ModuleMetadata } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { CacheByProjection, SkippedIfCached } from '../routes/route-metadata.js';
import { EnhancedHandlers, EnhancedHandlersModule } from './enhanced-handlers.js';

@Injectable()
class Audit {
  canActivate(): boolean {
    return true;
  }

  intercept(_context: unknown, next: { handle(): never }): never {
    return next.handle();
  }

  transform(value: unknown): unknown {
    return value;
  }
}

@SkippedIfCached()
class Skipped extends Audit {}

@SkippedIfCached({ unless: (target) => Reflect.hasMetadata('audited', target) })
class SkippedByMost extends Audit {}

const CACHED = { readModel: 'things' };

/** Whether the responses of a handler with these decorators are never kept. */
async function isEnhanced(
  { onHandler, onClass }: { readonly onHandler?: MethodDecorator; readonly onClass?: ClassDecorator },
  metadata: ModuleMetadata = {},
): Promise<boolean> {
  @(onClass ?? (() => undefined))
  @Controller('things')
  class ThingsController {
    @Get()
    @CacheByProjection(CACHED)
    @(onHandler ?? (() => undefined))
    list(): void {}
  }
  const controllers = [ThingsController];
  const application = await Test.createTestingModule({ imports: [EnhancedHandlersModule], controllers, ...metadata }).compile();
  await application.init();
  const isIncluded = application.get(EnhancedHandlers).include(CACHED);
  await application.close();
  return isIncluded;
}

describe('handlers whose responses are never kept', () => {
  const global = (provide: string, useClass: typeof Audit) => ({ providers: [{ provide, useClass }] });

  it.each<[what: string, decorator: MethodDecorator & ClassDecorator]>([
    ['guard', UseGuards(Audit)],
    ['guard given as an object', UseGuards(new Audit())],
    ['interceptor', UseInterceptors(Audit)],
    ['pipe', UsePipes(Audit)],
  ])('are those with a %s, of their own or of their controller', async (_what, decorator) => {
    expect(await isEnhanced({ onHandler: decorator })).toBe(true);
    expect(await isEnhanced({ onClass: decorator })).toBe(true);
    expect(await isEnhanced({})).toBe(false);
  });

  it.each([APP_GUARD, APP_INTERCEPTOR, APP_PIPE])('are all where there is an %s', async (provide) => {
    expect(await isEnhanced({}, global(provide, Audit))).toBe(true);
    expect(await isEnhanced({}, global(provide, Skipped))).toBe(false);
  });

  it('are not those whose enhancers are skipped, unless one is not for this handler', async () => {
    expect(await isEnhanced({ onHandler: UseGuards(Skipped) })).toBe(false);
    expect(await isEnhanced({}, global(APP_GUARD, SkippedByMost))).toBe(false);
    const onHandler: MethodDecorator = (_target, _name, { value }) => Reflect.defineMetadata('audited', true, value as object);
    expect(await isEnhanced({ onHandler }, global(APP_GUARD, SkippedByMost))).toBe(true);
  });
});
