import type { FastifyContextConfig, RouteOptions } from 'fastify';
import type { RouteInfo } from '../request/request-context.js';
import { listMediaTypes } from '../routes/route-metadata.js';
import { nearest } from '../validation/nearest.js';

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

type AddedRoute = Pick<RouteOptions, 'url' | 'method' | 'config'> & { readonly handler: { readonly name: string } };

const MAX_CORRECTED_CHARACTERS = 200;
const MAX_CORRECTED_MISTAKES = 2;
const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const OPTIONS = 'OPTIONS';

/** The routes of the service, closed unless they are public. */
export class RouteTable {
  /** All routes, in the order of their registration. */
  readonly routes: Route[] = [];
  private readonly known = new Map<string, RouteInfo>();

  constructor(private readonly options: RouteTableOptions) {}

  /** For Fastify's `onRoute`. */
  add({ url: template, method, config = {}, handler }: AddedRoute): void {
    for (const each of [method].flat()) this.routes.push({ method: each, template, handler: handler.name, config });
    this.known.clear();
  }

  /** Describes a route that the router matched. */
  ofRoute(method: string, template: string): RouteInfo {
    const name = `${method} ${template}`;
    const known = this.known.get(name);
    if (known) return known;
    const ofTemplate = this.routes.filter((route) => route.template === template);
    const matched = ofTemplate.filter((route) => route.method === method);
    const info = { ...this.describe(method, template, matched, ofTemplate), template, hasParameters: template.includes(':') };
    this.known.set(name, info);
    return info;
  }

  /** Describes a path that the router matched no route for, perhaps only because of its method. */
  ofPath(method: string, path: string): RouteInfo {
    const routes = this.routes.filter(({ template }) => matchesTemplate(path, template));
    return this.describe(method, path, routes, routes);
  }

  /**
   * Returns the path of the operation that a path without a route nearly names, such as `/v1/pets/{petId}`: it has a slash at the end,
   * lacks the version, or has a typing mistake or two.
   */
  nearestOperation(path: string): string | undefined {
    if (path.length > MAX_CORRECTED_CHARACTERS) return undefined;
    const asked = path.replace(/\/+$/, '');
    const operations = this.routes.filter(({ config, method }) => config.operation && method !== 'HEAD').map(({ template }) => template);
    for (const wanted of [asked, ...this.options.protectedPrefixes.map((prefix) => `${prefix}${asked}`)]) {
      const paths = new Map(operations.map((template) => [fillTemplate(template, wanted), template]));
      const near = paths.get(wanted) ?? paths.get(nearest(wanted, paths.keys(), () => MAX_CORRECTED_MISTAKES) ?? '');
      if (near !== undefined) return near.replaceAll(/:(\w+)/g, '{$1}');
    }
    return undefined;
  }

  /** Returns every method of any route, as an `Allow` header lists them. */
  allMethods(): string {
    return formatAllow(this.routes);
  }

  /** @param routes those that say who may call @param allowed those of the path, with any method */
  private describe(method: string, path: string, routes: readonly Route[], allowed: readonly Route[]): RouteInfo {
    const template = allowed[0]?.template;
    const prefix = this.options.protectedPrefixes.find((each) => isUnder(path, each));
    const neighbours = routes.length > 0 || prefix === undefined ? routes : this.routes.filter((route) => isUnder(route.template, prefix));
    const isExempt = this.options.exemptPrefixes?.some((each) => isUnder(path, each)) ?? false;
    return {
      name: `${method} ${template ?? ''}`,
      template,
      allow: allowed.length === 0 ? '' : formatAllow(allowed),
      mediaTypes: listMediaTypes(routes[0]?.config.reads?.body),
      acceptPatch: formatAcceptPatch(allowed),
      isProtected: routes.length === 0 ? prefix !== undefined : routes.some(({ config }) => config.access !== 'public'),
      scopes: [...new Set(neighbours.flatMap(({ config: { access } }) => (typeof access === 'object' ? [access.scope] : [])))],
      takesAnyKey: routes.some(({ config }) => config.access === 'key'),
      isExempt,
      isJson: this.options.jsonPrefixes.some((each) => isUnder(path, each)),
      hasParameters: false,
      isQuiet: isExempt && routes.length > 0,
    };
  }
}

function formatAllow(routes: readonly Route[]): string {
  const methods = new Set(routes.map(({ method }) => method));
  const ordered = METHOD_ORDER.filter((method) => methods.delete(method));
  methods.delete(OPTIONS);
  return [...ordered, ...methods, OPTIONS].join(', ');
}

function formatAcceptPatch(routes: readonly Route[]): string | undefined {
  const mediaTypes = routes.filter(({ method }) => method === 'PATCH').flatMap(({ config }) => listMediaTypes(config.reads?.body));
  return mediaTypes.length === 0 ? undefined : [...new Set(mediaTypes)].join(', ');
}

function isUnder(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** Whether a path fits a template: a `:name` is a segment that is not empty, a last `*` is the rest. */
function matchesTemplate(path: string, template: string): boolean {
  const segments = path.split('/');
  const wanted = template.split('/');
  const isOpen = wanted.at(-1) === '*';
  if (isOpen ? segments.length < wanted.length : segments.length !== wanted.length) return false;
  return wanted.every((part, index) => {
    if (isOpen && index === wanted.length - 1) return true;
    return part.startsWith(':') ? segments[index] !== '' : part === segments[index];
  });
}

/** Returns a template with the segments of a path for its parameters. */
function fillTemplate(template: string, path: string): string {
  const segments = path.split('/');
  const filled = template.split('/').map((part, index) => (part.startsWith(':') ? (segments[index] ?? part) : part));
  return filled.join('/');
}
