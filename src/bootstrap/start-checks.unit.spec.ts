import { Controller, Get, Injectable, Post, UseGuards, UseInterceptors, UsePipes, type ModuleMetadata } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { Mutation, Query, ResolveField, Resolver, Subscription } from '@nestjs/graphql';
import { Test } from '@nestjs/testing';
import { Throttle } from '@nestjs/throttler';
import { ReadsOnly } from '#libs/graphql';
import { CacheByProjection, SkippedIfCached } from '#libs/http';
import { ClockModule, createLogger, NestLogger } from '#libs/observability';
import { SettableClock } from '#libs/testing';
import { AppModule } from '../app.module.js';
import { loadServiceConfiguration } from './composition.js';
import { StartChecksModule } from './start-checks.module.js';

/** The lines of the error that stops the start of an application with this module; none if it starts. */
async function startErrors(metadata: ModuleMetadata): Promise<string[]> {
  const imports = [StartChecksModule, ClockModule.forRoot({ useValue: new SettableClock() }), ...(metadata.imports ?? [])];
  try {
    const application = await Test.createTestingModule({ ...metadata, imports })
      .setLogger(new NestLogger(createLogger({ level: 'silent' })))
      .compile();
    await (await application.init()).close();
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

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
class HarmlessAudit extends Audit {}

const Cached = CacheByProjection({ readModel: 'things' });

describe('the checks of the start', () => {
  it('the whole application checks its start', () => {
    const { imports } = AppModule.forRoot(loadServiceConfiguration({}), { purpose: 'cli' });
    expect(imports).toContain(StartChecksModule);
  });

  describe('an operation that the GraphQL schema does not take', () => {
    @Resolver()
    class ThingsResolver {
      @Query(() => String)
      thing(): string {
        return 'thing';
      }

      @Mutation(() => Boolean)
      change(): boolean {
        return true;
      }

      @Subscription(() => Boolean)
      changed(): boolean {
        return true;
      }
    }

    it('stops the start, and is named with what to do instead', async () => {
      expect(await startErrors({ providers: [ThingsResolver] })).toEqual([
        'ThingsResolver.change is a @Mutation, but the GraphQL schema is only for reading: send the command from a route of a controller.',
        'ThingsResolver.changed is a @Subscription, but the GraphQL schema is only for reading: publish the event; clients get it at GET /v1/events or by webhook.',
      ]);
    });
  });

  describe('on a cached route', () => {
    /** The errors of a controller with a cached handler and one that is not, `decorated` in this way. */
    async function errorsOf(onHandlers: MethodDecorator, onClass: ClassDecorator = () => undefined): Promise<string[]> {
      @onClass
      @Controller('things')
      class ThingsController {
        @Get()
        @Cached
        @onHandlers
        list(): void {}

        @Post()
        @onHandlers
        create(): void {}
      }
      return startErrors({ controllers: [ThingsController], providers: [Audit] });
    }
    const nothing: MethodDecorator = () => undefined;

    it.each<[what: string, decorator: MethodDecorator & ClassDecorator]>([
      ['the guard Audit', UseGuards(Audit)],
      ['the interceptor Audit', UseInterceptors(Audit)],
      ['the pipe Audit', UsePipes(Audit)],
      ['@Throttle', Throttle({ default: { limit: 1, ttl: 1_000 } })],
    ])('%s of handler or controller stops the start', async (what, decorator) => {
      const error = `ThingsController.list is cached by @CacheByProjection, but ${what} does not run for cached responses: remove one of them. @AdmittedBy checks the callers of cached responses too.`;
      expect(await errorsOf(decorator)).toEqual([error]);
      expect(await errorsOf(nothing, decorator)).toEqual([error]);
    });
  });

  describe('on a field of the GraphQL schema', () => {
    @Resolver()
    class ThingsResolver {
      @UseGuards(Audit)
      @ReadsOnly('things')
      @Query(() => String)
      cached(): string {
        return 'thing';
      }

      @UseGuards(Audit)
      @Query(() => String)
      asked(): string {
        return 'thing';
      }

      @UseGuards(Audit)
      @ResolveField(() => String)
      below(): string {
        return 'thing';
      }
    }

    it('a guard stops the start, unless it is on a query that is not cached', async () => {
      const errors = await startErrors({ providers: [ThingsResolver, Audit] });
      expect(errors).toEqual(
        ['cached', 'below'].map(
          (name) =>
            `ThingsResolver.${name} can be answered from cached results, but the guard Audit does not run for those: remove it, or @ReadsOnly. @Extensions({ scope: '…' }) requires a scope of cached results too.`,
        ),
      );
    });
  });

  describe('for all routes', () => {
    it.each([
      ['guard', APP_GUARD],
      ['interceptor', APP_INTERCEPTOR],
      ['pipe', APP_PIPE],
    ])('a %s stops the start unless it says that it is skipped', async (kind, provide) => {
      const error = `The global ${kind} Audit does not run for cached responses: apply it to the controllers that need it, or mark it with @SkippedIfCached() if it is not needed for those.`;
      expect(await startErrors({ providers: [{ provide, useClass: Audit }] })).toEqual([error]);
      expect(await startErrors({ providers: [{ provide, useValue: new Audit() }] })).toEqual([error]);
      expect(await startErrors({ providers: [{ provide, useClass: HarmlessAudit }] })).toEqual([]);
    });
  });
});
