import { METHODS } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { listMediaTypes } from '../routes/route-metadata.js';

export interface RouteTableOptions {
  /** Under these paths everything is protected, even without a route. */
  readonly protectedPrefixes: readonly string[];
  /** Under these paths bodies are JSON, both ways. */
  readonly jsonPrefixes: readonly string[];
  /** Under these paths no hook of admission runs, even without a route, and requests are quiet. Default: none. */
  readonly exemptPrefixes?: readonly string[];
}

/** One method of a path. */
export interface Route {
  readonly method: string;
  readonly template: string;
  /** The controller's method, such as `PetsController.listPets`, or the name of a function. */
  readonly handler: string;
  readonly config: FastifyContextConfig;
}

/** What admission needs to know about the path and method of a request. */
export interface RouteInfo {
  /** The route template, such as `/v1/pets/:petId`; undefined if no route has the path. */
  readonly template: string | undefined;
  /** The value of `Allow` if the path lacks the method; empty if no route has the path. Undefined for a route that answers. */
  readonly allow?: string;
  /** The media types of its body. */
  readonly mediaTypes: readonly string[];
  /** The value of `Accept-Patch`; undefined if the path has no `PATCH`. */
  readonly acceptPatch?: string | undefined;
  readonly isProtected: boolean;
  /** A key needs one of these: the scopes of the route; if no route has path and method, those of its neighbours. */
  readonly scopes: readonly string[];
  /** Any valid key is enough, whatever its scopes. */
  readonly takesAnyKey: boolean;
  /** No hook of admission runs. */
  readonly isExempt: boolean;
  /** Bodies are JSON, both ways. */
  readonly isJson: boolean;
  /** Requests that the load shedder counts. */
  inProgress: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set by the route table. */
    info?: RouteInfo;
  }
}

type AddedRoute = Pick<RouteOptions, 'url' | 'method' | 'config'> & { readonly handler: { readonly name: string } };

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const OPTIONS = 'OPTIONS';
const NO_ROUTE: RouteInfo = {
  ...{ template: undefined, allow: '', mediaTypes: [], scopes: [], inProgress: 0 },
  ...{ isProtected: false, takesAnyKey: false, isExempt: false, isJson: false },
};

/** The routes of the service, closed unless they are public. */
export class RouteTable {
  /** All routes, in the order of their registration. */
  readonly routes: Route[] = [];

  constructor(private readonly options: RouteTableOptions) {}

  /** For Fastify's `onRoute`. @throws Error for a route that does not say who may call it */
  readonly add = (route: AddedRoute): void => {
    const { url: template, config = {}, handler } = route;
    const methods = [route.method].flat();
    // An answer to other methods has its description, and @fastify/cors has a route for OPTIONS that never answers.
    if (config.info?.allow !== undefined || methods.includes(OPTIONS)) return;
    const added = methods.map((method): Route => ({ method, template, handler: handler.name, config }));
    if (config.access === undefined) {
      const name = `${methods.join()} ${template} (${handler.name})`;
      throw new Error(`${name} has no access decorator: add @RequiresScope('…'), @RequiresKey() or @Public().`);
    }
    this.routes.push(...added);
    route.config = { ...config, info: this.describe(template, added) };
  };

  /** Describes the route of a request. */
  find({ routeOptions }: FastifyRequest): RouteInfo {
    return routeOptions.config.info ?? NO_ROUTE;
  }

  /**
   * To be called once all routes are registered: each path gets a route for its other methods, and each prefix one for its other paths.
   * Fastify alone has no `Allow`, and finds no prefix of a path without a route.
   */
  complete(instance: FastifyInstance): void {
    const known = new Set(instance.supportedMethods);
    for (const method of METHODS) if (!known.has(method) && method !== 'CONNECT') instance.addHttpMethod(method);
    const answer = (url: string, method: string[], info: RouteInfo): void => {
      instance.route({ url, method, config: { info }, handler: (_request, reply) => reply.callNotFound() });
    };
    const templates = new Set(this.routes.map(({ template }) => template));
    for (const template of templates) {
      const routes = this.routes.filter((route) => route.template === template);
      const others = instance.supportedMethods.filter((method) => !routes.some((route) => route.method === method));
      const patched = routes.filter(({ method }) => method === 'PATCH').flatMap(({ config }) => listMediaTypes(config.reads?.body));
      const acceptPatch = patched.length === 0 ? undefined : [...new Set(patched)].join(', ');
      answer(template, others, { ...this.describe(template, routes), allow: formatAllow(routes), acceptPatch });
    }
    const { protectedPrefixes, exemptPrefixes = [] } = this.options;
    for (const prefix of [...protectedPrefixes, ...exemptPrefixes]) {
      const neighbours = this.routes.filter(({ template }) => isUnder(template, prefix));
      const info = { ...this.describe(prefix, neighbours), ...{ template: undefined, allow: '', takesAnyKey: false } };
      const isProtected = protectedPrefixes.includes(prefix);
      for (const url of [prefix, `${prefix}/*`]) if (!templates.has(url)) answer(url, instance.supportedMethods, { ...info, isProtected });
    }
  }

  private describe(path: string, routes: readonly Route[]): RouteInfo {
    const { jsonPrefixes, exemptPrefixes = [] } = this.options;
    return {
      template: path,
      mediaTypes: listMediaTypes(routes[0]?.config.reads?.body),
      isProtected: routes.some(({ config }) => config.access !== 'public'),
      scopes: [...new Set(routes.flatMap(({ config: { access } }) => (typeof access === 'object' ? [access.scope] : [])))],
      takesAnyKey: routes.some(({ config }) => config.access === 'key'),
      isExempt: exemptPrefixes.some((prefix) => isUnder(path, prefix)),
      isJson: jsonPrefixes.some((prefix) => isUnder(path, prefix)),
      inProgress: 0,
    };
  }
}

/** The value of `Allow` for the service as a whole (`OPTIONS *`). */
export const ALL_METHODS = [...METHOD_ORDER, OPTIONS].join(', ');

function formatAllow(routes: readonly Route[]): string {
  const methods = new Set(routes.map(({ method }) => method));
  const ordered = METHOD_ORDER.filter((method) => methods.delete(method));
  return [...ordered, ...methods, OPTIONS].join(', ');
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
