import fc from 'fast-check';
import { authorized, lengthOf, requestOf, type Attack } from './hostile-request.js';
import { bytesOf, hostileFor, percentEncoded, rightFor, standing, type HostileValue, type Schema } from './hostile-values.js';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;

type PathItem = Readonly<Partial<Record<(typeof METHODS)[number], Operation>>> & { readonly parameters?: readonly Parameter[] };

/** What of an OpenAPI document says what can be sent. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, PathItem>>;
}

/** Two keys: the first one sends nearly all requests, and the second one may come to its end. */
export interface Keys {
  readonly key: string;
  readonly disposable: string;
}

interface Route {
  readonly method: string;
  readonly path: string;
  /** Its body among them. */
  readonly parameters: readonly Parameter[];
  /** The media type of its body. */
  readonly type: string;
}

/** A value for each parameter that is given, in the order of the route. */
type Given = readonly (readonly [Parameter, HostileValue])[];

/** Most things that are addressed are there; some were added and removed by other requests. */
const RIGHT_IDS = fc.oneof(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 1, max: 300 })).map((id) => standing(String(id)));

/** Attacks on every parameter, every property of a body and every body of each route, in each class of hostile values. */
export function routeAttacks(keys: Keys, document: ApiDocument): readonly Attack[] {
  return routesOf(document).flatMap((route) => [
    givenBeside(route.parameters).map((given) => toRequest(keys, route, given, 'nothing')),
    ...route.parameters.flatMap((attacked) => {
      const beside = givenBeside(route.parameters.filter((other) => other !== attacked));
      return hostileFor(attacked.schema).map(({ place, values }) =>
        fc
          .tuple(fc.oneof({ weight: 9, arbitrary: fc.tuple(values) }, { weight: 1, arbitrary: fc.tuple(values, values) }), beside)
          .map(([hostile, others]) => {
            const given = [...hostile.map((value) => [attacked, value] as const), ...others];
            return toRequest(keys, route, given, `${attacked.name}${place} in ${attacked.in}`);
          }),
      );
    }),
  ]);
}

/** Right values for parameters, some of them left out where they may be. */
function givenBeside(parameters: readonly Parameter[]): fc.Arbitrary<Given> {
  const drawn = parameters.map(({ schema, required = false, ...parameter }) => {
    const right = parameter.in === 'path' ? RIGHT_IDS : fc.constant(rightFor(schema));
    const isNeeded = required || parameter.in === 'path';
    return fc.oneof({ weight: isNeeded ? 30 : 1, arbitrary: right }, { weight: isNeeded ? 1 : 3, arbitrary: fc.constant(undefined) });
  });
  return fc
    .tuple(...drawn)
    .map((values) => parameters.flatMap((parameter, index) => (values[index] ? [[parameter, values[index]] as const] : [])));
}

function routesOf(document: ApiDocument): Route[] {
  return Object.entries(document.paths).flatMap(([path, { parameters: shared = [], ...operations }]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method] ?? impliedOperation(method, operations);
      if (!operation) return [];
      const { parameters, requestBody } = withoutReferences(
        { ...operation, parameters: [...shared, ...(operation.parameters ?? [])] },
        document,
      );
      const route = { method: method.toUpperCase(), path: `/v1${path}` };
      const bodies = Object.entries(requestBody?.content ?? {});
      if (bodies.length === 0) return [{ ...route, parameters, type: '' }];
      return bodies.map(([type, { schema }]) => {
        const body: Parameter = { name: 'body', in: 'body', required: requestBody?.required ?? false, schema };
        return { ...route, parameters: [...parameters, body], type };
      });
    }),
  );
}

/** HEAD and OPTIONS, which the document describes in a sentence: HEAD takes what GET takes, OPTIONS the parameters of the path. */
function impliedOperation(method: (typeof METHODS)[number], operations: Omit<PathItem, 'parameters'>): Operation | undefined {
  if (method === 'head') return operations.get;
  if (method !== 'options') return undefined;
  const [{ parameters = [] } = {}] = Object.values(operations);
  return { parameters: parameters.filter((parameter) => parameter.in === 'path') };
}

function toRequest({ key, disposable }: Keys, { method, path, type }: Route, given: Given, what: string) {
  const valuesIn = (place: Parameter['in']) =>
    given.flatMap(([parameter, value]) => (parameter.in === place ? [[parameter.name, value] as const] : []));
  const query = valuesIn('query').map(([name, { plain }]) => `${percentEncoded(name)}=${percentEncoded(plain)}`);
  // The first key, whose requests these are, may not be ended by one of them.
  const inPath = valuesIn('path').map(([name, { plain }]) => [name, name === 'keyId' && plain === '1' ? '2' : plain] as const);
  const filled = inPath.reduce((before, [name, plain]) => before.replace(`{${name}}`, () => percentEncoded(plain)), path);
  const json = valuesIn('body')[0]?.[1].json;
  const body = bytesOf(json ?? '');
  const request = requestOf({
    name: `${method} ${path} with a hostile ${what}`,
    method,
    target: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    headers: [
      ...authorized(/\/key(?:\/|$)/.test(path) ? disposable : key),
      ...(json === undefined ? [] : [`Content-Type: ${type}`, lengthOf(body)]),
      ...valuesIn('header').map(([name, { plain }]) => `${name}: ${bytesOf(plain).toString('latin1')}`),
    ],
    body,
  });
  const isUnstorable = given.some(([parameter, value]) => parameter.in !== 'header' && value.isUnstorable);
  return {
    ...request,
    // What is refused for what it holds may end the connection, with the rest of it unread.
    isWhole: request.isWhole && !isUnstorable,
    isToBeRefused: isUnstorable && method !== 'OPTIONS',
    ...(json !== undefined && { sent: json }),
  };
}

/** The same part of a document with what its references stand for in place of them. */
function withoutReferences<Part>(part: Part, document: ApiDocument): Part {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((item: unknown) => withoutReferences(item, document)) as Part;
  const { $ref } = part as { readonly $ref?: string };
  if ($ref === undefined) {
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutReferences(value as unknown, document)])) as Part;
  }
  const path = $ref.split('/').slice(1);
  return withoutReferences(
    path.reduce<unknown>((within, name) => (within as Readonly<Record<string, unknown>>)[name], document) as Part,
    document,
  );
}
