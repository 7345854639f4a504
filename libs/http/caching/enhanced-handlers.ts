import { Global, Injectable, Module, UseGuards, UseInterceptors, UsePipes, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { KeptResponses, SkippedIfCached, type Unless } from '../routes/route-metadata.js';

// The packages do not export the keys of this metadata.
const ENHANCERS = [UseGuards(), UseInterceptors(), UsePipes()].map(findMetadataKey);
const GLOBAL_ENHANCERS: readonly unknown[] = ['guard', 'interceptor', 'pipe'];

/**
 * The handlers with a guard, an interceptor or a pipe, of their own, of their controller or of the whole application (`APP_GUARD` and its
 * like): each response of theirs is made anew, unless the enhancer is `SkippedIfCached`.
 */
@Injectable()
export class EnhancedHandlers implements OnModuleInit {
  private readonly declarations = new Set<unknown>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const ofAll = wrappers
      .filter(({ subtype }) => GLOBAL_ENHANCERS.includes(subtype))
      .map(({ instance, metatype }) => toClass(instance ?? metatype));
    for (const { instance, metatype } of wrappers) this.addHandlers(toClass(instance ?? metatype), ofAll);
  }

  /** @param declaration the value of `KeptResponses` of a handler */
  include(declaration: object): boolean {
    return this.declarations.has(declaration);
  }

  private addHandlers(type: Type, ofAll: readonly Type[]): void {
    const prototype = type.prototype as Readonly<Record<string, () => unknown>> | undefined;
    for (const name of prototype ? this.scanner.getAllMethodNames(prototype) : []) {
      const method = prototype?.[name];
      const declaration = method && this.reflector.get(KeptResponses, method);
      if (declaration && [method, type].some((target) => this.isEnhanced(target, ofAll))) this.declarations.add(declaration);
    }
  }

  /** @param target a handler or its class */
  private isEnhanced(target: object, ofAll: readonly Type[]): boolean {
    const own = ENHANCERS.flatMap((key) => (Reflect.getMetadata(key, target) ?? []) as readonly unknown[]).map(toClass);
    return [...ofAll, ...own].some((enhancer) => {
      const skipped = this.reflector.get(SkippedIfCached, enhancer) as Unless | undefined;
      return !skipped || skipped.unless?.(target) === true;
    });
  }
}

@Global()
@Module({ imports: [DiscoveryModule], providers: [EnhancedHandlers], exports: [EnhancedHandlers] })
export class EnhancedHandlersModule {}

/** Returns the key of the metadata that a decorator sets on a class. */
function findMetadataKey(decorate: ClassDecorator): unknown {
  class Decorated extends Object {}
  decorate(Decorated);
  return Reflect.getOwnMetadataKeys(Decorated)[0];
}

/** Returns a class itself, and the class of an instance. */
function toClass(value: unknown): Type {
  return (typeof value === 'function' ? value : (Object(value) as object).constructor) as Type;
}
