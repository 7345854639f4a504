import type { Resource } from '../exchange/exchange.js';

export interface RouteTableOptions {
  /** Under these paths everything is protected, whether a route has it or not. */
  readonly protectedPrefixes: readonly string[];
  /** Under these paths bodies are JSON, both ways. */
  readonly jsonPrefixes: readonly string[];
  /** The only templates of routes that are open to everybody: `/docs`, or `/docs/*` with all below it. */
  readonly publicRoutes: readonly string[];
  /** Under these paths no hook of admission is run, whether a route has it or not; none when left out. */
  readonly exemptPrefixes?: readonly string[];
  /** Templates of routes that are asked all the time by machines; none when left out. */
  readonly quietRoutes?: readonly string[];
}

const METHOD_ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const OPTIONS = 'OPTIONS';

/** The routes of the service with their methods, protected unless listed as public. */
export class RouteTable {
  private readonly methods = new Map<string, Set<string>>();
  private readonly resources = new Map<string, Resource>();

  constructor(private readonly options: RouteTableOptions) {}

  add(template: string, methods: string | readonly string[]): void {
    const known = this.methods.get(template) ?? new Set();
    for (const method of [methods].flat()) known.add(method);
    this.methods.set(template, known);
    this.resources.delete(template);
  }

  /** The resource of a route that the router matched. */
  ofTemplate(template: string): Resource {
    const known = this.resources.get(template);
    if (known) return known;
    const resource = {
      template,
      allow: allowOf(this.methods.get(template) ?? []),
      isProtected: !this.isPublic(template),
      isExempt: this.isExempt(template),
      isJson: isUnder(template, this.options.jsonPrefixes),
      hasParameters: template.includes(':'),
      isQuiet: this.options.quietRoutes?.includes(template) ?? false,
    };
    this.resources.set(template, resource);
    return resource;
  }

  /** The resource of a path that the router matched no route for, perhaps for its method alone. */
  ofPath(path: string): Resource {
    const templates = [...this.methods.keys()].filter((template) => matchesTemplate(path, template));
    return {
      template: templates[0],
      allow: templates.length === 0 ? '' : allowOf(templates.flatMap((template) => [...(this.methods.get(template) ?? [])])),
      isProtected: isUnder(path, this.options.protectedPrefixes) || templates.some((template) => !this.isPublic(template)),
      isExempt: this.isExempt(path),
      isJson: isUnder(path, this.options.jsonPrefixes),
      hasParameters: false,
      isQuiet: false,
    };
  }

  /** Every method that some route has, as an `Allow` header lists them. */
  allMethods(): string {
    return allowOf([...this.methods.values()].flatMap((methods) => [...methods]));
  }

  private isExempt(path: string): boolean {
    return isUnder(path, this.options.exemptPrefixes ?? []);
  }

  private isPublic(template: string): boolean {
    return this.options.publicRoutes.some((route) => matchesTemplate(template, route));
  }
}

function allowOf(methods: Iterable<string>): string {
  const known = new Set(methods);
  const ordered = METHOD_ORDER.filter((method) => known.delete(method));
  known.delete(OPTIONS);
  return [...ordered, ...known, OPTIONS].join(', ');
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
