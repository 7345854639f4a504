import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LosslessNumber } from 'lossless-json';
import { ApplicationError, invalidParameter, InvalidValuesError, MAX_FIELD_ERRORS, type FieldError } from '#libs/observability';
import {
  assertNone,
  assertStorable,
  getInputSchema,
  INT64_MAX,
  INT64_MIN,
  parseInt64,
  quoteGiven,
  textErrors,
  validationErrors,
  type RuleSchema,
} from '../validation/rules.js';
import { nearest } from '../validation/nearest.js';
import { parseTime } from '../validation/time.js';
import { singleHeader } from '../admission/admission.js';
import { readPrecondition } from '../caching/conditional-requests.js';
import { PageRequest, type ListRoute } from '../pagination/pages.js';
import { addRouteReads, listMembers, type DescribedBody, type RouteReads } from '../routes/route-metadata.js';

export const MAX_KEY_LENGTH = 255;
const QUOTED_KEY = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE_KEY = /^[\x21\x23-\x7e][\x20-\x7e]*$/;
const PLAIN_DIGITS = /^(?:0|-?[1-9]\d{0,15})$/;
const SHOWN_CHARACTERS = 80;
const OTHER_PAGE_NAMES: ReadonlySet<string> = new Set(['page', 'offset', 'skip', 'start']);
const EXCLUDES = Symbol('parameters that exclude each other');

/** The class of a query: its rules describe the parameters, its initial values are the defaults. */
export type QueryClass<Input extends object = object> = new () => Input;

/** Returns the values of a body's members by their names. @throws ApplicationError `invalid_request` */
export type BodyReader = (body: unknown) => Record<string, unknown>;

/**
 * A handler's parameter: the members of the body that the rules of a class name, to make a command of. The command's handler validates
 * the values; a member without a rule is refused here, together with all that the rules refuse.
 */
export function ReadBody(body: DescribedBody): ParameterDecorator {
  const read = bodyReader(body);
  return readParameter({ body }, (request) => read(request.body));
}

/** A handler's parameter: the query as a valid object of a class. All mistakes of a query are refused at once. */
export function ReadQuery<Input extends object>(type: QueryClass<Input>): ParameterDecorator {
  return readParameter({ query: type }, (request) => readQuery(request.query, type, request));
}

/**
 * A handler's parameter of type bigint: an id in the path.
 * @param name as in the path, such as `petId`
 * @param description for the document
 */
export function ReadId(name: string, description: string): ParameterDecorator {
  return readParameter({ path: { [name]: description } }, ({ params }) =>
    readId(name, (params as Readonly<Record<string, string>>)[name] ?? ''),
  );
}

/**
 * A handler's parameter of type `string | undefined`: a header as it was sent. A repeated one is refused.
 * @param description for the document
 */
export function ReadHeader(name: string, description: string): ParameterDecorator {
  return readParameter({ headers: { [name]: description } }, (request) => singleHeader(request, name));
}

/** A handler's parameter of type `Precondition | undefined`: the `If-Match` and `If-None-Match` of a write, for its command. */
export function IfMatch(): ParameterDecorator {
  return readParameter({ precondition: true }, readPrecondition);
}

/** A handler's parameter of type `string`: the negotiated media type of the response. */
export const ResponseMediaType = createParamDecorator((_: unknown, context: ExecutionContext) => getRequest(context).responseMediaType);

/** A handler's parameter. @param reads what of the request it is made from */
export function readParameter(reads: RouteReads, read: (request: FastifyRequest) => unknown): ParameterDecorator {
  const decorate = createParamDecorator((_: unknown, context: ExecutionContext) => read(getRequest(context)))();
  return (target, handler, index) => {
    addRouteReads(target, handler, reads);
    decorate(target, handler, index);
  };
}

function getRequest(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

/** @throws TypeError if `without` names a property that the class does not have */
export function bodyReader(described: Pick<DescribedBody, 'type' | 'without' | 'noun' | 'optional'>): BodyReader {
  const { type, noun, optional } = described;
  const members = listMembers(described);
  const names = new Set(members.map(([name]) => name));
  const listed = [...names].join(', ') || 'none';
  const expected = `The body must be a JSON object with ${names.size === 0 ? 'no fields' : listed}${optional ? ', or be omitted' : ''}.`;
  return (given) => {
    const body = given === undefined && optional ? {} : given;
    if (!isJsonObject(body)) throw new ApplicationError('invalid_request', expected);
    const values: Record<string, unknown> = {};
    for (const [name, schema] of members) values[name] = parseMember(Object.hasOwn(body, name) ? body[name] : undefined, schema);
    const unknown = Object.keys(body).filter((name) => !names.has(name));
    if (unknown.length === 0) return values;
    const input = Object.assign(Object.create(type.prototype as object) as object, values);
    const known = [...names];
    const refusals = unknown.map((name, place) => unknownName(name, { kind: `a field of ${noun}`, known, place }));
    throw new InvalidValuesError('invalid_request', [...validationErrors(input, names), ...refusals]);
  };
}

function isJsonObject(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof LosslessNumber);
}

/**
 * @param route of the request, to whose list cursors are bound
 * @throws ApplicationError `invalid_parameter` that names every parameter which is unknown, repeated without being a list, or breaks its rules.
 */
export function readQuery<Input extends object>(query: unknown, type: QueryClass<Input>, route?: ListRoute): Input {
  const { properties } = getInputSchema(type);
  const isList = (name: string) => properties[name]?.['type'] === 'array';
  const { texts, errors } = singleTexts(query, Object.keys(properties), isList);
  const values = Object.entries(texts).map(([name, text]) => [name, parseParameter(text, properties[name] ?? {})]);
  const input: Input = Object.assign(new type(), Object.fromEntries(values) as object);
  if (route && input instanceof PageRequest) input.bindTo(route);
  // One mistake a parameter: one that could not be read is not missing too.
  const read = Object.keys(properties).filter((name) => texts[name] !== undefined || !Object.hasOwn(query ?? {}, name));
  assertNone('invalid_parameter', [
    ...validationErrors(input, new Set(read), texts),
    ...exclusionErrors(type, Object.keys(texts)),
    ...errors,
  ]);
  return input;
}

/**
 * Returns the parameters of a query as they were written, without rules.
 * @throws ApplicationError `invalid_parameter` that names every parameter which is unknown, repeated or cannot be stored.
 */
export function readTexts<Name extends string>(query: unknown, names: readonly Name[]): Readonly<Partial<Record<Name, string>>> {
  const { texts, errors } = singleTexts(query, names);
  assertNone('invalid_parameter', errors);
  return texts as Partial<Record<Name, string>>;
}

/** A repeated list is that of all its values: generated clients send lists so. */
function singleTexts(
  query: unknown,
  names: readonly string[],
  isList: (name: string) => boolean = () => false,
): { readonly texts: Record<string, string>; readonly errors: FieldError[] } {
  const texts: Record<string, string> = {};
  const errors: FieldError[] = [];
  for (const [name, given] of Object.entries(query ?? {}) as [string, unknown][]) {
    const value = Array.isArray(given) && isList(name) ? given.join(',') : given;
    const ofText = textErrors(name, value);
    if (!names.includes(name)) {
      errors.push(unknownName(name, { kind: 'a query parameter of this operation', known: names, place: errors.length }));
    } else if (typeof value !== 'string') errors.push(repeated(name));
    else if (ofText.length === 0) texts[name] = value;
    else errors.push(...ofText);
  }
  return { texts, errors };
}

function repeated(field: string): FieldError {
  return { field, rule: 'repeated', message: `The query parameter ${field} is repeated; give it once` };
}

interface UnknownName {
  /** Such as `a field of an animal`. */
  readonly kind: string;
  readonly known: readonly string[];
  /** Among the errors, from 0. */
  readonly place: number;
}

/** Looks for a near name only for errors in the response: a body may have very many unknown names. */
function unknownName(name: string, { kind, known, place }: UnknownName): FieldError {
  const field = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  const near = name.length > SHOWN_CHARACTERS || place >= MAX_FIELD_ERRORS ? undefined : (pageName(name, known) ?? nearest(name, known));
  const listed = known.length === 0 ? 'none' : known.join(', ');
  const suggestion = near === undefined ? '' : ` (did you mean ${near}?)`;
  return { field, rule: 'unknown', message: `${JSON.stringify(field)} is not ${kind}, which takes ${listed}${suggestion}` };
}

/** Returns the parameter of a list that continues it, for a name that other services have for that. */
function pageName(name: string, known: readonly string[]): string | undefined {
  if (!known.includes('limit') || !OTHER_PAGE_NAMES.has(name)) return undefined;
  return ['cursor', 'after'].find((each) => known.includes(each));
}

/** The parameter of a query cannot be given together with these others. */
export function MutuallyExclusiveWith(...others: readonly string[]): PropertyDecorator {
  return Reflect.metadata(EXCLUDES, others);
}

function exclusionErrors(type: QueryClass, given: readonly string[]): FieldError[] {
  return given.flatMap((field) => {
    const others = (Reflect.getMetadata(EXCLUDES, type.prototype as object, field) as readonly string[] | undefined) ?? [];
    const clashing = others.filter((other) => given.includes(other));
    if (clashing.length === 0) return [];
    return [{ field, rule: 'exclusive', message: `${field} cannot be given together with ${clashing.join(' and ')}` }];
  });
}

/** A `preValidation` hook that applies the rule for text to the path and, if the route reads no query, refuses all its parameters. */
export function checkParameters(request: FastifyRequest, _reply: unknown, done: () => void): void {
  if (!request.is404) {
    assertStorable(request.params ?? {});
    const { reads } = request.routeOptions.config;
    if (!reads) assertStorable(request.query ?? {});
    else if (!reads.query) readTexts(request.query, []);
  }
  done();
}

/** @throws ApplicationError `invalid_parameter` if the text is not an int64 in plain digits. */
export function readId(name: string, text: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw invalidParameter(
    name,
    'int64',
    `${name} must be an integer from ${INT64_MIN} to ${INT64_MAX}, written in plain digits${quoteGiven(text)}`,
  );
}

/**
 * Returns the `Idempotency-Key` of a request, undefined without one. A quoted string (RFC 8941 section 3.3.3) and the same characters
 * without quotes are one key.
 * @throws ApplicationError `invalid_parameter` naming the header.
 */
export function readIdempotencyKey(request: Pick<FastifyRequest, 'raw'>): string | undefined {
  const value = singleHeader(request, 'Idempotency-Key');
  if (value === undefined) return undefined;
  const key = BARE_KEY.test(value) ? value : QUOTED_KEY.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  if (key !== undefined && key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key;
  const message = `Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters, as they are or as a quoted string`;
  throw invalidParameter('Idempotency-Key', 'idempotencyKey', message);
}

/**
 * Returns a hash by which two requests with the same key are compared.
 * @param values count in their order, also those that are not given
 * @param added by their names; those that are not given do not count, so that a new optional one leaves earlier hashes as they are
 */
export function computeFingerprint(values: readonly unknown[], added: Readonly<Record<string, unknown>> = {}): string {
  const given = Object.entries(added).filter(([, value]) => value !== undefined);
  const canonical = JSON.stringify([...values, ...given.sort(([one], [other]) => (one < other ? -1 : 1))], (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : (value ?? null),
  );
  return createHash('sha256').update(canonical).digest('hex');
}

/** Converts a JSON number, or the text of a time, to the value of its rules, also within an object. Everything else is returned as it is, for the rules to refuse. */
function parseMember(given: unknown, schema: RuleSchema): unknown {
  if (typeof given === 'string' && schema['format'] === 'date-time') return parseTime(given) ?? given;
  if (given instanceof LosslessNumber) return parseNumber(given.value, schema) ?? given;
  const properties = schema['properties'] as Readonly<Record<string, RuleSchema>> | undefined;
  if (!properties || !isJsonObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, parseMember(value, properties[name] ?? {})]));
}

/** The same for a query parameter, which is a text; the items of a list are separated by commas. */
function parseParameter(given: string, schema: RuleSchema): unknown {
  if (schema['type'] === 'array') {
    const items = (schema['items'] ?? {}) as RuleSchema;
    return given.split(',').map((item) => parseParameter(item, items));
  }
  if (schema['type'] === 'boolean') return given === 'true' || (given === 'false' ? false : given);
  return parseNumber(given, schema) ?? parseMember(given, schema);
}

function parseNumber(text: string, { type, format }: RuleSchema): bigint | number | undefined {
  if (type === 'integer' && format === 'int64') return parseInt64(text);
  if (type === 'integer') return PLAIN_DIGITS.test(text) ? Number(text) : undefined;
  if (type === 'number') return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text);
  return undefined;
}
