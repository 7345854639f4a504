import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig } from 'fastify';

/** Who may ask a route: everybody, or who has a key with this scope. */
export type RouteAccess = 'public' | { readonly scope: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Said by every route; one that says nothing stops the start. */
    access?: RouteAccess;
  }
}

const CONFIG = Symbol('what decorators have said of the route so far');

type Said = Partial<FastifyContextConfig>;

/** What decorators have said of a handler's route so far. */
export function routeConfigOf(target: object, handler: string | symbol): Said {
  return (Reflect.getMetadata(CONFIG, target, handler) as Said | undefined) ?? {};
}

/** Adds to what is said of a handler's route; for the decorators of a handler and of its parameters. */
export function addRouteConfig(target: object, handler: string | symbol, said: Said): void {
  const config: Said = { ...routeConfigOf(target, handler), ...said };
  Reflect.defineMetadata(CONFIG, config, target, handler);
  RouteConfig(config)(target, handler, descriptorOf(target, handler));
}

/** A decorator that says something of one handler's route. */
export function setRouteMetadata(said: Said): MethodDecorator {
  return (target, handler) => addRouteConfig(target, handler, said);
}

/**
 * A decorator that says something of one handler's route or, on a class, of the route of each handler that does not say it itself.
 * @param others are applied to the same handlers
 */
export function setHandlerMetadata(said: Said, ...others: readonly MethodDecorator[]): MethodDecorator & ClassDecorator {
  const apply = (target: object, handler: string | symbol): void => {
    addRouteConfig(target, handler, said);
    for (const decorate of others) decorate(target, handler, descriptorOf(target, handler));
  };
  return (target: object, handler?: string | symbol): void => {
    if (handler !== undefined) {
      apply(target, handler);
      return;
    }
    const { prototype } = target as { readonly prototype: object };
    for (const own of methodsOf(prototype)) {
      const known = routeConfigOf(prototype, own);
      if (!Object.keys(said).some((name) => name in known)) apply(prototype, own);
    }
  };
}

function methodsOf(prototype: object): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function')
    .map(([name]) => name);
}

function descriptorOf(target: object, handler: string | symbol): PropertyDescriptor {
  const descriptor = Object.getOwnPropertyDescriptor(target, handler);
  if (descriptor) return descriptor;
  throw new TypeError(`${String(handler)} is no method of ${target.constructor.name} itself.`);
}
