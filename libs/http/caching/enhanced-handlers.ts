import { Global, Injectable, Module, UseGuards, UseInterceptors, UsePipes, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { findMetadataKey, toClass } from '../routes/decorated-class.js';
import { KeptResponses, SkippedIfCached, type Unless } from '../routes/route-metadata.js';

const ENHANCERS = [UseGuards(), UseInterceptors(), UsePipes()].map((decorate) => findMetadataKey(decorate));
const GLOBAL_ENHANCERS: readonly unknown[] = ['guard', 'interceptor', 'pipe'];

/**
 * The handlers with a guard, an interceptor or a pipe, of their own, of their controller or of the whole application (`APP_GUARD` and its
 * like): their responses are never kept, unless the enhancer is `SkippedIfCached`.
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
