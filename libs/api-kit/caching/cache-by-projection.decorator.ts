import { setRouteMetadata } from '../routes/route-config.js';

/** What is said of a route whose responses are cached. */
export interface CachedRoute {
  /** The name of the read model from which alone its responses are made. */
  readonly readModel: string;
  /**
   * That its responses depend on the API key too: on its id and its scopes. The `ETag` of a page is then of this key alone; that of a
   * single thing is of its content alone, so that every key that sees it may name it in `If-Match`.
   */
  readonly perKey?: true;
}

/**
 * Has the 200 responses to `GET` cached by their URL and sent again until the read model changes. For a handler whose response depends on
 * the URL and the read model alone, and with `perKey` on the key: admission has run by then, but no guard, pipe or interceptor of the route does.
 */
export function CacheByProjection(route: CachedRoute): MethodDecorator {
  return setRouteMetadata({ cached: route });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    cached?: CachedRoute;
  }
}
