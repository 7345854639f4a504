import type { ModuleMetadata } from '@nestjs/common';
import { EventsHandler, Saga } from '@nestjs/cqrs';
import { Mutation, Query, Resolver, Subscription } from '@nestjs/graphql';
import { Test } from '@nestjs/testing';
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

@EventsHandler()
class Listener {
  handle(): void {}
}

class Sagas {
  @Saga()
  saga = (events: unknown): unknown => events;
}

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

  it('a handler of the event bus stops the start, and is named with what to do instead', async () => {
    const errors = await startErrors({ providers: [Listener, Sagas] });
    expect(errors).toHaveLength(2);
    expect(errors[0]).toMatch(/^Listener has @EventsHandler, which never runs: .* Write a follower of the log: npm run generate/);
    expect(errors[1]).toMatch(/^Sagas has @Saga, /);
  });
});
