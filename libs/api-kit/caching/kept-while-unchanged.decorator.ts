import { RouteConfig } from '@nestjs/platform-fastify';

/** What is said of a route whose answers are kept. */
export interface KeptRoute {
  /** The name of the read model from which alone its answers are made. */
  readonly readModel: string;
  /** From this moment on nothing that was kept is sent. */
  readonly until?: Date;
}

/**
 * Has the 200 answers to `GET` kept by their URL and sent again until the read model changes. For a handler whose answer depends on
 * the URL and the read model alone: admission has run by then, but no guard, pipe or interceptor of the route does.
 */
export function KeptWhileUnchanged(route: KeptRoute): MethodDecorator {
  return RouteConfig({ kept: route });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    kept?: KeptRoute;
  }
}
