import type { FastifyContextConfig, RouteOptions } from 'fastify';
import type { RouteInfo } from '../request/request-context.js';
import { mediaTypesOf } from '../requests/route-contract.js';
import type { RouteAccess } from '../routes/route-config.js';

export interface RouteTableOptions {
  /** Under these paths everything is protected, whether a route has it or not. */
  readonly protectedPrefixes: readonly string[];
  /** Under these paths bodies are JSON, both ways. */
  readonly jsonPrefixes: readonly string[];
  /** Under these paths no hook of admission is run, whether a route has it or not, and requests are quiet; none when left out. */
  readonly exemptPrefixes?: readonly string[];
}

/** One method of a path. */
export interface Route {
  readonly method: string;
  readonly template: string;
  /** The controller's method, such as `PetsController.listPets`, or another function's name. */
  readonly handler: string;
  readonly config: FastifyContextConfig;
}

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const OPTIONS = 'OPTIONS';

/** The routes of the service with their methods, closed unless they say that they are public. */
export class RouteTable {
  private readonly routes: Route[] = [];
  private readonly resources = new Map<string, RouteInfo>();

  constructor(private readonly options: RouteTableOptions) {}

  /** For Fastify's `onRoute`. */
  add({
    url: template,
    method,
    config = {},
    handler,
  }: Pick<RouteOptions, 'url' | 'method' | 'config'> & { readonly handler: { readonly name: string } }): void {
    for (const each of [method].flat()) this.routes.push({ method: each, template, handler: handler.name, config });
    this.resources.clear();
  }

  /** All routes, in the order of their registration. */
  all(): readonly Route[] {
    return this.routes;
  }

  /** The routeInfo of a route that the router matched. */
  ofRoute(method: string, template: string): RouteInfo {
    const name = `${method} ${template}`;
    const known = this.resources.get(name);
    if (known) return known;
    const ofTemplate = this.routes.filter((route) => route.template === template);
    const matched = ofTemplate.filter((route) => route.method === method);
    const routeInfo = {
      ...this.resourceOf(template, template, matched),
      allow: allowOf(methodsOf(ofTemplate)),
      acceptPatch: acceptPatchOf(ofTemplate),
      hasParameters: template.includes(':'),
    };
    this.resources.set(name, routeInfo);
    return routeInfo;
  }

  /** The routeInfo of a path that the router matched no route for, perhaps for its method alone. */
  ofPath(path: string): RouteInfo {
    const routes = this.routes.filter(({ template }) => matchesTemplate(path, template));
    return this.resourceOf(path, routes[0]?.template, routes);
  }

  /** Every method that some route has, as an `Allow` header lists them. */
  allMethods(): string {
    return allowOf(methodsOf(this.routes));
  }

  private resourceOf(path: string, template: string | undefined, routes: readonly Route[]): RouteInfo {
    const prefix = this.options.protectedPrefixes.find((each) => isUnder(path, [each]));
    const neighbours =
      routes.length > 0 || prefix === undefined ? routes : this.routes.filter((route) => isUnder(route.template, [prefix]));
    const isExempt = isUnder(path, this.options.exemptPrefixes ?? []);
    return {
      template,
      allow: routes.length === 0 ? '' : allowOf(methodsOf(routes)),
      acceptPatch: acceptPatchOf(routes),
      isProtected: routes.length === 0 ? prefix !== undefined : routes.some(({ config }) => config.access !== 'public'),
      scopes: [...new Set(neighbours.flatMap(({ config }) => scopesOf(config.access)))],
      isExempt,
      isJson: isUnder(path, this.options.jsonPrefixes),
      hasParameters: false,
      isQuiet: isExempt && routes.length > 0,
    };
  }
}

function scopesOf(access: RouteAccess | undefined): string[] {
  return access === undefined || access === 'public' ? [] : [access.scope];
}

function methodsOf(routes: readonly Route[]): string[] {
  return routes.map(({ method }) => method);
}

function allowOf(methods: Iterable<string>): string {
  const known = new Set(methods);
  const ordered = METHOD_ORDER.filter((method) => known.delete(method));
  known.delete(OPTIONS);
  return [...ordered, ...known, OPTIONS].join(', ');
}

function acceptPatchOf(routes: readonly Route[]): string | undefined {
  const mediaTypes = routes.filter(({ method }) => method === 'PATCH').flatMap(({ config }) => mediaTypesOf(config.reads?.body));
  return mediaTypes.length === 0 ? undefined : [...new Set(mediaTypes)].join(', ');
}

function isUnder(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Whether the path is one of the template's, whose `:name` is a segment that is not empty and whose last `*` is all the rest. */
function matchesTemplate(path: string, template: string): boolean {
  const segments = path.split('/');
  const wanted = template.split('/');
  const open = wanted.at(-1) === '*';
  if (open ? segments.length < wanted.length : segments.length !== wanted.length) return false;
  return wanted.every((part, index) => {
    if (open && index === wanted.length - 1) return true;
    return part.startsWith(':') ? segments[index] !== '' : part === segments[index];
  });
}
