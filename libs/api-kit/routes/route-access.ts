/** Who may ask a route: everybody, or who has a key with this scope. */
export type RouteAccess = 'public' | { readonly scope: string };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Said by every route; one that says nothing stops the start. */
    access?: RouteAccess;
  }
}
