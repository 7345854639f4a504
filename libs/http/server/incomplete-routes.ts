import type { Route } from '../admission/route-table.js';
import type { DescribedBody } from '../routes/route-metadata.js';

/** Where the routes of controllers are, whose contract the document describes. */
interface Expected {
  readonly jsonPrefixes: readonly string[];
  /** The scopes that a key can have. */
  readonly scopes: ReadonlySet<string>;
  /** The names of the read models that there are. */
  readonly readModels: ReadonlySet<string>;
}

const IMPLIED_METHODS: readonly string[] = ['HEAD', 'OPTIONS'];

/**
 * What routes leave unsaid that nobody may have to guess: who may ask, what is read, and how the document describes them. A sentence for
 * each, with method, path and `Controller.handler`.
 */
export function incompleteRoutes(routes: readonly Route[], { jsonPrefixes, scopes, readModels }: Expected): string[] {
  const described = routes.filter(({ template }) => jsonPrefixes.some((prefix) => template.startsWith(`${prefix}/`)));
  const faults = routes.filter(isAsked).flatMap((route) => {
    const name = `${route.method} ${route.template} (${route.handler})`;
    return [
      ...accessFaults(route, scopes),
      ...cacheFaults(route, readModels),
      ...(described.includes(route) ? contractFaults(route) : []),
    ].map((fault) => `${name} ${fault}`);
  });
  return [...faults, ...sharedIds(described.filter(isAsked))];
}

/** Fastify answers `HEAD` by the route of `GET`, which says it all. */
function isAsked({ method }: Route): boolean {
  return !IMPLIED_METHODS.includes(method);
}

function accessFaults({ config: { access } }: Route, scopes: ReadonlySet<string>): string[] {
  if (access === undefined) return ["says none of @RequiresScope('…'), @RequiresKey() and @Public(): say who may ask."];
  if (typeof access === 'string' || scopes.has(access.scope)) return [];
  return [`requires the scope ${access.scope}, which no module brings; there are ${[...scopes].join(', ')}.`];
}

function cacheFaults({ config: { cached } }: Route, readModels: ReadonlySet<string>): string[] {
  if (cached === undefined || readModels.has(cached.readModel)) return [];
  return [`is cached by the read model ${cached.readModel}, which there is not; there are ${[...readModels].join(', ')}.`];
}

function contractFaults({ template, config: { operation, reads } }: Route): string[] {
  const parameters = [...template.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const unread = parameters.filter((name) => !(name in (reads?.path ?? {})));
  return [
    ...(operation ? [] : ['has no @Operation({ id, … }): the document has to say its operationId, its answer and its errors.']),
    ...(reads ? [] : ['does not say what it reads: decorate its parameters with @ReadBody, @ReadQuery or @ReadId, or it with @NoInput().']),
    ...bodyFaults(parameters, reads?.body),
    ...(reads && unread.length > 0 ? [`does not read ${unread.join(', ')} of its path: decorate a parameter with @ReadId.`] : []),
  ];
}

/** Where the path says something of the command too, its name there and in the body must not be left to chance. */
function bodyFaults(parameters: readonly string[], body: DescribedBody | undefined): string[] {
  if (!body || parameters.length === 0 || body.without !== undefined) return [];
  return [
    `reads ${parameters.join(', ')} of its path and a body: give @ReadBody \`without\`, the properties of ${body.type.name} that are not in the body, such as ['id'].`,
  ];
}

function sharedIds(routes: readonly Route[]): string[] {
  const first = new Map<string, Route>();
  return routes.flatMap((route) => {
    const { id } = route.config.operation ?? {};
    if (id === undefined) return [];
    const other = first.get(id);
    first.set(id, other ?? route);
    return other
      ? [`${route.method} ${route.template} (${route.handler}) has the operationId ${id} of ${other.method} ${other.template}.`]
      : [];
  });
}
