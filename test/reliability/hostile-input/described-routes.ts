import fc from 'fast-check';
import { authorized, framingOf, measureLength, type RequestParts } from './hostile-request.js';
import {
  bytesOf,
  type Given,
  givenFor,
  hostileValues,
  type HostileValue,
  type Kind,
  toListParameter,
  namedFor,
  objectOf,
  percentEncoded,
  rightValues,
} from './hostile-values.js';
import { judgeUnstorable, judgeUnstorableOrKeyRefused, judgeUnstorableOrHidden } from './invariants.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

type PathItem = Readonly<Partial<Record<(typeof METHODS)[number], Operation>>> & { readonly parameters?: readonly Parameter[] };

/** What of an OpenAPI document says what can be sent. */
export interface ApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
}

/** The body of an operation, which is of one form, in whichever media type it comes. */
interface Body {
  readonly types: readonly string[];
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** One operation with everything it takes, each with its name. */
interface Route {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
}

/**
 * The names of all that can be sent, such as `GET /v1/pets`, `GET /v1/pets limit in query`, `POST /v1/pets body.name` and
 * `POST /v1/pets as application/json`.
 */
export function parameterNames(document: ApiDocument): string[] {
  return routesOf(document).flatMap((route) => [
    route.name,
    ...route.parameters.map((parameter) => parameterName(route, parameter)),
    ...bodyNames(document, route.body?.schema, bodyName(route)),
    ...(route.body?.types ?? []).map((type) => typeName(route, type)),
  ]);
}

/**
 * Requests to each route with hostile parameters and bodies.
 * @param disposableKey is sent to the routes of a key itself, which can end it
 */
export function routeRequests(key: string, document: ApiDocument, disposableKey = key): fc.Arbitrary<RequestParts> {
  const routes = routesOf(document).map((route) => ({
    weight: 1 + route.parameters.length + bodyNames(document, route.body?.schema, '').length,
    arbitrary: requestsTo(isOwnKey(route) ? disposableKey : key, document, route),
  }));
  return fc.oneof(...routes);
}

function routesOf(document: ApiDocument): Route[] {
  const prefix = new URL(document.servers[0]?.url ?? '/', 'http://shop/').pathname.replace(/\/$/, '');
  return Object.entries(document.paths).flatMap(([path, { parameters: shared = [], ...operations }]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method] ?? impliedOperation(method, operations);
      if (!operation) return [];
      const { parameters = [], requestBody } = operation;
      const route = { method: method.toUpperCase(), path: prefix + path, body: bodyOf(requestBody) };
      return [{ ...route, name: `${route.method} ${route.path}`, parameters: parametersOf(document, [...shared, ...parameters]) }];
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

function bodyOf(described: Operation['requestBody']): Body | undefined {
  const { content = {}, required = false } = described ?? {};
  const [first] = Object.values(content);
  return first && { types: Object.keys(content), schema: first.schema, isRequired: required };
}

/** An operation's own parameter stands in place of that of its path with the same name. */
function parametersOf(document: ApiDocument, parameters: readonly Parameter[]): Parameter[] {
  const all = parameters.map((parameter) => resolved(document, parameter));
  return [...new Map(all.map((parameter) => [`${parameter.name} in ${parameter.in}`, parameter])).values()];
}

function requestsTo(key: string, document: ApiDocument, route: Route): fc.Arbitrary<RequestParts> {
  const { parameters, body } = route;
  const parts = parameters.map((parameter) => {
    const kind = describeKind(resolved(document, parameter.schema));
    return {
      of: parameter,
      hostile: hostileValues(parameterName(route, parameter), kind),
      right: rightValues(kind),
      isRequired: parameter.required ?? parameter.in === 'path',
    };
  });
  const whole = { name: 'body', in: 'body' } as const;
  const bodies = body
    ? [
        {
          of: whole,
          hostile: bodiesOf(document, body.schema, bodyName(route)),
          right: rightBody(document, body.schema),
          isRequired: body.isRequired,
          weight: bodyNames(document, body.schema, '').length,
        },
      ]
    : [];
  const all = givenFor<Pick<Parameter, 'name'> & { readonly in: Parameter['in'] | 'body' }>([...parts, ...bodies]);
  return fc.tuple(all, fc.constantFrom(...(body?.types ?? ['']))).map(([given, type]) => requestOf(key, route, { given, type }));
}

/** What is sent to a route, with the media type that the body has where there is one. */
interface Sent {
  readonly given: readonly Given<{ readonly name: string; readonly in: string }>[];
  readonly type: string;
}

function requestOf(key: string, route: Route, { given, type }: Sent): RequestParts {
  const valuesIn = (place: string) => given.filter(({ of }) => of.in === place).map(({ of: { name }, value }) => ({ name, value }));
  const query = valuesIn('query').map(({ name, value }) => `${percentEncoded(name)}=${percentEncoded(value.plain)}`);
  const headers = valuesIn('header').map(({ name, value }) => `${name}: ${bytesOf(value.plain).toString('latin1')}`);
  const inPath = new Map(valuesIn('path').map(({ name, value }) => [name, isFirstKey(name, value) ? toSecondKey(value) : value]));
  const path = [...inPath].reduce((before, [name, { plain }]) => before.replace(`{${name}}`, percentEncoded(plain)), route.path);
  const body = valuesIn('body').at(0)?.value;
  const isUnstorable = [...inPath.values(), ...valuesIn('query').map(({ value }) => value), ...(body ? [body] : [])].some(
    (value) => value.isUnstorable,
  );
  const parts = {
    kind: 'route of the document',
    method: route.method,
    target: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers: [...authorized(key), ...(body ? [`Content-Type: ${type}`, measureLength(bytesOf(body.json))] : []), ...headers],
    body: bytesOf(body?.json ?? ''),
  };
  return {
    ...parts,
    ...framingOf(parts, isUnstorable),
    draws: [route.name, ...(body ? [typeName(route, type)] : []), ...given.flatMap(({ value }) => value.names)],
    ...(isUnstorable && isReached(route, inPath) && { judge: judgeOf(route) }),
  };
}

function judgeOf(route: Route): NonNullable<RequestParts['judge']> {
  if (isOwnKey(route)) return judgeUnstorableOrKeyRefused;
  return isHidden(route) ? judgeUnstorableOrHidden : judgeUnstorable;
}

function isOwnKey({ path }: Route): boolean {
  return /\/key(?:\/|$)/.test(path);
}

/** The first key sends nearly all requests, so none may end it. */
function isFirstKey(name: string, { plain }: HostileValue): boolean {
  return name === 'keyId' && plain === '1';
}

function toSecondKey(value: HostileValue): HostileValue {
  return { ...value, plain: '2' };
}

/** OPTIONS tells of a path, whatever its parameters are; and a path with an empty part is another one. */
function isReached({ method }: Route, inPath: ReadonlyMap<string, HostileValue>): boolean {
  return method !== 'OPTIONS' && [...inPath.values()].every(({ plain }) => plain !== '');
}

/** What belongs to a key is not there for others, and nothing else is said then. */
function isHidden({ path }: Route): boolean {
  return path.includes('/webhooks/{');
}

/** A body with its members, some of them hostile, one left out or one too many; or something else altogether. */
function bodiesOf(document: ApiDocument, described: Schema, name: string): fc.Arbitrary<HostileValue> {
  const schema = resolved(document, described);
  const { properties, required = [], items } = schema;
  if (items) {
    const item = bodiesOf(document, items, `${name}[]`);
    return fc.oneof(item, fc.array(item, { maxLength: 3 }).map(toListParameter)).map((value) => namedFor(name, value));
  }
  if (!properties) return hostileValues(name, describeKind(schema));
  const members = Object.entries(properties).map(([member, of]) => ({
    of: member,
    hostile: bodiesOf(document, of, `${name}.${member}`),
    right: rightBody(document, of),
    isRequired: required.includes(member),
    weight: bodyNames(document, of, '').length,
  }));
  const objects = givenFor(members).map((given) => namedFor(name, objectOf(given)));
  return fc.oneof({ weight: 12, arbitrary: objects }, { weight: 1, arbitrary: hostileValues(name, 'text') });
}

function rightBody(document: ApiDocument, described: Schema): fc.Arbitrary<HostileValue> {
  const schema = resolved(document, described);
  const { properties, required = [], items } = schema;
  if (items) return rightBody(document, items).map((item) => toListParameter([item]));
  if (!properties) return rightValues(describeKind(schema));
  const members = Object.entries(properties).filter(([member]) => required.includes(member));
  const values = members.map(([member, of]) => rightBody(document, of).map((value) => ({ of: member, value })));
  return fc.tuple(...values).map(objectOf);
}

function bodyNames(document: ApiDocument, described: Schema | undefined, name: string): string[] {
  if (!described) return [];
  const { properties = {}, items } = resolved(document, described);
  const members = Object.entries(properties).flatMap(([member, schema]) => bodyNames(document, schema, `${name}.${member}`));
  return [name, ...members, ...bodyNames(document, items, `${name}[]`)];
}

function describeKind({ type, format, enum: words }: Schema): Kind {
  if (words) return { words };
  if (format === 'date-time') return 'moment';
  if (format === 'int64') return 'identifier';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' ? 'boolean' : 'text';
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

function parameterName(route: Route, { name, in: place }: Parameter): string {
  return `${route.name} ${name} in ${place}`;
}

function bodyName({ name }: Route): string {
  return `${name} body`;
}

function typeName({ name }: Route, type: string): string {
  return `${name} as ${type}`;
}
