import fc from 'fast-check';
import { authorized, lengthOf, requestOf, type Attack } from './hostile-request.js';
import { bytesOf, hostileClasses, listOf, objectOf, percentEncoded, rightValue, standing } from './hostile-values.js';
import type { HostileValue, Kind } from './hostile-values.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

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
// Of a service of nobody on this machine, which may not be asked for anything else.
const RIGHT_URL = standing('"http://127.0.0.1:9/events"');

/** Attacks on every parameter, every property of a body and every body of each route, in each class of hostile values. */
export function routeAttacks(keys: Keys, document: ApiDocument): readonly Attack[] {
  return routesOf(document).flatMap((route) => [
    givenBeside(document, route.parameters).map((given) => toRequest(keys, route, given, 'nothing')),
    ...route.parameters.flatMap((attacked) => {
      const others = route.parameters.filter((other) => other !== attacked);
      return hostileFor(document, attacked.schema).map(({ place, values }) =>
        fc
          .tuple(
            fc.oneof({ weight: 9, arbitrary: values.map((value) => [value]) }, fc.array(values, { minLength: 2, maxLength: 2 })),
            givenBeside(document, others),
          )
          .map(([hostile, beside]) =>
            toRequest(
              keys,
              route,
              [...hostile.map((value) => [attacked, value] as const), ...beside],
              `${attacked.name}${place} in ${attacked.in}`,
            ),
          ),
      );
    }),
  ]);
}

/** Right values for parameters, some of them left out where they may be. */
function givenBeside(document: ApiDocument, parameters: readonly Parameter[]): fc.Arbitrary<Given> {
  const drawn = parameters.map(({ schema, required = false, ...parameter }) => {
    const right = parameter.in === 'path' ? RIGHT_IDS : fc.constant(rightFor(document, schema));
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
      const { parameters = [], requestBody } = operation;
      const all = [...shared, ...parameters].map((parameter) => resolved(document, parameter));
      const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({ type, schema }));
      const route = { method: method.toUpperCase(), path: `/v1${path}` };
      if (bodies.length === 0) return [{ ...route, parameters: all, type: '' }];
      return bodies.map(({ type, schema }) => {
        const body: Parameter = { name: 'body', in: 'body', required: requestBody?.required ?? false, schema };
        return { ...route, parameters: [...all, body], type };
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

interface HostilePlace {
  /** Within what is described, such as `.limits.perDay`. */
  readonly place: string;
  readonly values: fc.Arbitrary<HostileValue>;
}

/** A hostile value at each place within what is described, with right ones beside it. */
function hostileFor(document: ApiDocument, described: Schema): HostilePlace[] {
  const schema = resolved(document, described);
  const { properties, required = [], items } = schema;
  const own = hostileClasses(kindOf(schema)).map((values) => ({ place: '', values }));
  if (items) {
    const within = hostileFor(document, items);
    return [
      ...own,
      ...within.map(({ place, values }) => ({ place: `[]${place}`, values: fc.array(values, { maxLength: 3 }).map(listOf) })),
    ];
  }
  if (!properties) return own;
  const right = (names: readonly string[]) => rightMembers(document, properties, names);
  const strangers = ['__proto__', 'constructor', 'toString', 'id', ''].map((name) => ({
    place: `.${name}`,
    values: fc.constant(objectOf([...right(required), [name, standing('{"isAdmin":true}')]])),
  }));
  const ofMembers = Object.entries(properties).flatMap(([name, member]) =>
    hostileFor(document, member).map(({ place, values }) => ({
      place: `.${name}${place}`,
      values: fc.tuple(values, fc.constantFrom(1, 1, 1, 2)).map(([value, times]) => {
        const attacked = Array.from({ length: times }, () => [name, value] as const);
        return objectOf([...right(required.filter((other) => other !== name)), ...attacked]);
      }),
    })),
  );
  const withoutOne = required.map((name) => ({
    place: ` without ${name}`,
    values: fc.constant(objectOf(right(required.filter((other) => other !== name)))),
  }));
  return [...own, ...strangers, ...ofMembers, ...withoutOne];
}

function rightFor(document: ApiDocument, described: Schema): HostileValue {
  const schema = resolved(document, described);
  const { properties, required = [], items } = schema;
  if (items) return listOf([rightFor(document, items)]);
  if (!properties) return rightValue(kindOf(schema));
  return objectOf(rightMembers(document, properties, required));
}

function rightMembers(document: ApiDocument, properties: NonNullable<Schema['properties']>, names: readonly string[]) {
  return names.map((name) => [name, name === 'url' ? RIGHT_URL : rightFor(document, properties[name] ?? {})] as const);
}

function kindOf({ type = '', format, enum: words }: Schema): Kind {
  const types = [type].flat();
  if (words) return { words: words.filter((word) => typeof word === 'string') };
  if (format === 'date-time') return 'moment';
  if (types.includes('integer') || types.includes('number')) return 'number';
  return types.includes('boolean') ? 'boolean' : 'text';
}

/** What a reference within the document stands for. */
function resolved<Part extends object>(document: ApiDocument, part: Part & { readonly $ref?: string }): Part {
  if (part.$ref === undefined) return part;
  const found = part.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((within, name) => (within as Readonly<Record<string, unknown>>)[name], document);
  return resolved(document, found as Part);
}
