import { Module, UseGuards, UseInterceptors, UsePipes, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { EventsHandler, Saga } from '@nestjs/cqrs';
import { RESOLVER_PROPERTY_METADATA, RESOLVER_TYPE_METADATA } from '@nestjs/graphql';
import { isReadsOnly } from '#libs/graphql';
import { getRouteConfig, SkippedIfCached } from '#libs/http';
import { hasRouteLimit } from '../rate-limiting/index.js';

// The packages do not export the keys of this metadata.
const ENHANCERS: readonly [kind: string, key: unknown][] = [
  ['guard', findMetadataKey(UseGuards())],
  ['interceptor', findMetadataKey(UseInterceptors())],
  ['pipe', findMetadataKey(UsePipes())],
];
const EVENT_DECORATORS: readonly [name: string, key: unknown][] = [
  ['@EventsHandler', findMetadataKey(EventsHandler())],
  ['@Saga', findMetadataKey(({ prototype }) => Saga()(prototype as object, 'saga'))],
];

/** What to do instead of a kind of operation. */
const INSTEAD: ReadonlyMap<unknown, string> = new Map([
  ['Mutation', 'send the command from a route of a controller'],
  ['Subscription', 'publish the event; clients get it at GET /v1/events or by webhook'],
]);

/** Stops the start if a module uses a part of Nest that would have no effect here, and says what to use instead. */
@Module({ imports: [DiscoveryModule] })
export class StartChecksModule implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws Error with a line for each use */
  onModuleInit(): void {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const types = new Set(wrappers.map(({ instance, metatype }) => toClass(instance ?? metatype)));
    const problems = [
      ...[...types].flatMap((type) => [...checkEventHandlers(type), ...this.checkMethods(type)]),
      ...wrappers.flatMap(({ subtype, instance }) => checkGlobalEnhancer(subtype, instance)),
    ];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  private checkMethods(type: Type): string[] {
    const prototype = type.prototype as Readonly<Record<string, object>> | undefined;
    if (!prototype) return [];
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const method = prototype[name] ?? {};
      const isCachedRoute = getRouteConfig(prototype, name).cached !== undefined;
      const problems = [...checkOperation(method), ...checkCached(type, method, isCachedRoute)];
      return problems.map((problem) => `${type.name}.${name} ${problem}`);
    });
  }
}

/** Returns the key of the metadata that a decorator sets on a class. */
function findMetadataKey(decorate: (type: Type) => void): unknown {
  class Decorated extends Object {}
  decorate(Decorated);
  return Reflect.getOwnMetadataKeys(Decorated)[0];
}

/** Returns a class itself, and the class of an instance. */
function toClass(value: unknown): Type {
  return (typeof value === 'function' ? value : (Object(value) as object).constructor) as Type;
}

function checkEventHandlers(type: Type): string[] {
  const found = EVENT_DECORATORS.filter(([, key]) => Reflect.hasMetadata(key, type));
  return found.map(
    ([name]) =>
      `${type.name} has ${name}, which never runs: facts come from the log, and nothing is published on the EventBus. Write a follower of the log: npm run generate -- follower NAME --module MODULE.`,
  );
}

function checkOperation(method: object): string[] {
  const operation: unknown = Reflect.getMetadata(RESOLVER_TYPE_METADATA, method);
  const instead = INSTEAD.get(operation);
  return instead === undefined ? [] : [`is a @${String(operation)}, but the GraphQL schema is only for reading: ${instead}.`];
}

function checkCached(type: Type, method: object, isCachedRoute: boolean): string[] {
  const isCachedField = isReadsOnly(method) || Reflect.hasMetadata(RESOLVER_PROPERTY_METADATA, method);
  const skipped = [
    ...ENHANCERS.flatMap(([kind, key]) => [method, type].flatMap((target) => listSkipped(kind, Reflect.getMetadata(key, target)))),
    ...(hasRouteLimit(type) || hasRouteLimit(method) ? ['@Throttle'] : []),
  ];
  if (skipped.length === 0 || !(isCachedRoute || isCachedField)) return [];
  return isCachedRoute
    ? [
        `is cached by @CacheByProjection, but ${skipped.join(', ')} does not run for cached responses: remove one of them. @AdmittedBy checks the callers of cached responses too.`,
      ]
    : [
        `can be answered from cached results, but ${skipped.join(', ')} does not run for those: remove it, or @ReadsOnly. @Extensions({ scope: '…' }) requires a scope of cached results too.`,
      ];
}

function checkGlobalEnhancer(kind: string | undefined, instance: unknown): string[] {
  const skipped = ENHANCERS.some(([each]) => each === kind) ? listSkipped(String(kind), [instance]) : [];
  return skipped.map(
    (name) =>
      `The global ${name.slice('the '.length)} does not run for cached responses: apply it to the controllers that need it, or mark it with @SkippedIfCached() if it is not needed for those.`,
  );
}

/** Names the enhancers, classes or instances, that have to run for every request. */
function listSkipped(kind: string, enhancers: unknown): string[] {
  const types = ((enhancers ?? []) as readonly unknown[]).map(toClass);
  return types.filter((type) => !Reflect.hasMetadata(SkippedIfCached.KEY, type)).map(({ name }) => `the ${kind} ${name}`);
}
