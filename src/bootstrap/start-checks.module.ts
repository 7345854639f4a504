import { Module, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { EventsHandler, Saga } from '@nestjs/cqrs';
import { RESOLVER_TYPE_METADATA } from '@nestjs/graphql';
import { findMetadataKey, toClass } from '#libs/http';

const EVENT_DECORATORS: readonly [name: string, key: unknown][] = [
  ['@EventsHandler', findMetadataKey(EventsHandler())],
  ['@Saga', findMetadataKey(({ prototype }) => Saga()(prototype as object, 'saga'))],
];

/** What to do instead of a kind of operation. */
const INSTEAD: ReadonlyMap<unknown, string> = new Map([
  ['Mutation', 'send the command from a route of a controller'],
  ['Subscription', 'publish the event; clients get it at GET /v1/events or by webhook'],
]);

/** Stops the start if a module uses a part of Nest that can never work here, and says what to use instead. */
@Module({ imports: [DiscoveryModule] })
export class StartChecksModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws Error with a line for each use */
  onModuleInit(): void {
    const types = new Set(this.discovery.getProviders().map(({ instance, metatype }) => toClass(instance ?? metatype)));
    const problems = [...types].flatMap((type) => [...checkEventHandlers(type), ...this.checkOperations(type)]);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  private checkOperations(type: Type): string[] {
    const prototype = type.prototype as Readonly<Record<string, object>> | undefined;
    const names = prototype ? this.scanner.getAllMethodNames(prototype) : [];
    return names.flatMap((name) => {
      const operation: unknown = Reflect.getMetadata(RESOLVER_TYPE_METADATA, prototype?.[name] ?? {});
      const instead = INSTEAD.get(operation);
      return instead === undefined
        ? []
        : [`${type.name}.${name} is a @${String(operation)}, but the GraphQL schema is only for reading: ${instead}.`];
    });
  }
}

function checkEventHandlers(type: Type): string[] {
  const found = EVENT_DECORATORS.filter(([, key]) => Reflect.hasMetadata(key, type));
  return found.map(
    ([name]) =>
      `${type.name} has ${name}, which never runs: facts come from the log, and nothing is published on the EventBus. Write a follower of the log: npm run generate -- follower NAME --module MODULE.`,
  );
}
