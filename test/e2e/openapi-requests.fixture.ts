import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { composition } from '../../src/bootstrap/composition.js';
import { fits } from './openapi-contract.fixture.js';
import { ADDRESS } from './webhooks.fixture.js';

/** As much of a schema as requests are drawn from. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly schema: Schema;
  readonly examples: Readonly<Record<string, { readonly value: object }>>;
}

/** An operation of `docs/reference/openapi.json`. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  /** Its path with the names of its parameters in braces. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly required: boolean; readonly type: string; readonly schema: Schema; readonly example: object };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
}

const document = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as Document;

/** Stands for an animal that is available. */
export const AVAILABLE = 'an animal that is available';

export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, parameters = [], requestBody }]) => {
    const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
    const shown = Object.values(content?.examples ?? {})[0]?.value ?? {};
    const example = { ...shown, ...('url' in shown && { url: ADDRESS }), ...('petId' in shown && { petId: AVAILABLE }) };
    return {
      name: operationId,
      method: method.toUpperCase(),
      template: `/v1${path}`,
      parameters,
      ...(requestBody && type && content && { body: { required: requestBody.required, type, schema: content.schema, example } }),
    };
  }),
);

/** A request as it is drawn; the numbers in its path are not chosen yet. */
export interface DrawnRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
}

const characters = fc.constantFrom(...' \t\u0085\u00a0\u1680\u2028\u3000\u0000\ud800\udfff\ufeff\u200b\u180e\u001fé🐈a'.split(''), '🐈');

function drawnText({ maxLength = 20 }: Schema): fc.Arbitrary<string> {
  return fc.oneof(
    fc.array(characters, { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.tuple(fc.integer({ min: -1, max: 1 }), fc.constantFrom('a', '🐈', ' ')).map(([more, text]) => text.repeat(maxLength + more)),
  );
}

const times = fc.constantFrom('2026-07-01T00:00:00Z', '2026-07-01T12:00:00.1234567+02:00', '2026-07-01', 'soon', '');
const listOf = (values: fc.Arbitrary<unknown>) => fc.uniqueArray(values, { maxLength: 3 });

const TYPES = ['pet.added', 'order.placed', 'pet.withdrawn'];
const SCOPES = [...composition().scopes.keys()];
const KNOWN = new Set<unknown>([...TYPES, ...SCOPES]);

/** What the document leaves open: which words there are, what cannot be called or waited for, and how long a secret may go on. */
const DRAWN_BY_NAME: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  petId: fc.oneof(fc.constant(AVAILABLE), fc.constant(AVAILABLE), fc.constantFrom(-1, 0, 999_999)),
  url: fc.constantFrom(ADDRESS, 'https://1.1.1.1:8443/a?b=c', `https://1.1.1.1/${'a'.repeat(2_032)}`),
  types: listOf(fc.constantFrom(...TYPES)),
  scopes: listOf(fc.constantFrom(...SCOPES)),
  expiresAt: fc.constantFrom('2027-01-01T00:00:00Z', 'soon'),
};
const QUERY_BY_NAME: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  cursor: fc.constantFrom('', 'x', '0123456789abcdef0'),
  type: fc.constantFrom('pet.added', 'pet.added,pet.withdrawn', ''),
  subject: fc.constantFrom('pets/1', ''),
  after: fc.constantFrom('earliest', '0', '01', 'x'),
  timeout: fc.constantFrom(0, -1, 30_001, 'x'),
  grace: fc.constantFrom('0s', '1h', '1', 'h', '01h', ''),
};

/** Values that fit a schema, and some that are just outside of it. */
function drawn(schema: Schema): fc.Arbitrary<unknown> {
  const { type, items, properties, minimum, maximum } = schema.$ref ? followed(schema.$ref) : schema;
  const words = (schema.$ref ? followed(schema.$ref) : schema).enum;
  if (words) return fc.constantFrom(...words, words[0]?.toUpperCase(), '');
  if (properties) return fc.record(drawnMembers(properties), { requiredKeys: [] });
  if (items) return fc.array(drawn(items), { maxLength: 4 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') {
    return fc.oneof(fc.constantFrom(minimum ?? -1, maximum ?? 7, (minimum ?? 0) - 1, (maximum ?? 0) + 1), fc.maxSafeInteger());
  }
  return 'format' in schema ? times : drawnText(schema);
}

function followed(reference: string): Schema {
  return document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
}

const anything = fc.oneof(drawnText({}), fc.integer(), fc.constantFrom(null, true, 0.5, -1.5, [], {}, ['a'], { a: 1 }));

/** Mostly of the right type, seldom of any. */
function drawnMembers(properties: Readonly<Record<string, Schema>>): Record<string, fc.Arbitrary<unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const right = DRAWN_BY_NAME[name] ?? drawn(schema);
      return [name, fc.oneof({ weight: 10, arbitrary: right }, anything)];
    }),
  );
}

function drawnBody({ schema, required, example }: NonNullable<Operation['body']>): fc.Arbitrary<unknown> {
  const members = drawnMembers(followed(schema.$ref ?? '').properties ?? {});
  const body = fc.record(members, { requiredKeys: [] });
  return fc.oneof(
    { weight: 6, arbitrary: body.map((values) => ({ ...example, ...values })) },
    { weight: 3, arbitrary: body },
    fc.record({ ...members, extra: anything }, { requiredKeys: ['extra'] }),
    fc.constantFrom(null, [], 'text', 7, {}, ...(required ? [] : [undefined])),
  );
}

function drawnQuery(parameters: readonly Parameter[]): fc.Arbitrary<Readonly<Record<string, string>>> {
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query');
  const texts = ofQuery.map(({ name, schema, required = false }) => {
    const value = fc.oneof({ weight: 8, arbitrary: QUERY_BY_NAME[name] ?? drawn(schema) }, fc.constantFrom('x', '1.0', '01', '\u0000'));
    const text = value.map((written) => Buffer.from(String(written)).toString());
    return [name, required ? text : fc.option(text, { nil: undefined, freq: 1 })] as const;
  });
  return fc
    .record(Object.fromEntries(texts))
    .map((query) => Object.fromEntries(Object.entries(query).filter(([, text]) => text !== undefined)) as Record<string, string>);
}

const idempotencyKeys = fc.oneof(fc.uuid(), fc.constantFrom('', '"', 'a'.repeat(255), 'a'.repeat(256)), fc.string({ minLength: 1 }));

/** Requests of an operation. */
export function drawnRequest({ parameters, body }: Operation): fc.Arbitrary<DrawnRequest> {
  const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  return fc.record({
    query: drawnQuery(parameters),
    body: body ? drawnBody(body) : fc.constant(undefined),
    idempotencyKey: hasKey ? fc.option(idempotencyKeys, { nil: undefined, freq: 2 }) : fc.constant(undefined),
  });
}

/** Whether a request is as the document describes it. */
export function isDescribed({ parameters, body }: Operation, request: DrawnRequest, sentBody: unknown): boolean {
  const given = (name: string) => (name === 'Idempotency-Key' ? request.idempotencyKey?.trim() : request.query[name]);
  const fitsAll = parameters.every(({ name, schema }) => given(name) === undefined || fits(schema, toValue(schema, given(name) ?? '')));
  if (body === undefined || (sentBody === undefined && !body.required)) return fitsAll;
  return fitsAll && fits(body.schema, sentBody);
}

/** The value that the text of a parameter stands for; the text itself if it is none of its type. */
function toValue({ type, items }: Schema, text: string): unknown {
  if (items) return text.split(',').map((part) => toValue(items, part));
  if (type === 'integer') return /^(?:0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
  return type === 'boolean' && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

/** Whether rules that are told in words only may refuse it: what belongs together, which words there are, and whom to call. */
export function isOpen({ query, body }: DrawnRequest): boolean {
  const { limits, plan, url, types, scopes } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const alone = query['ids'] !== undefined && ('limit' in query || 'cursor' in query);
  const waiting = query['before'] !== undefined && query['timeout'] !== undefined;
  const words = [types, scopes].flat();
  const isUnknown = words.some((word) => word !== undefined && word !== null && !KNOWN.has(word));
  const isElsewhere = url !== undefined && !/^"https:\/\/1\.1\.1\.1/.test(JSON.stringify(url));
  return limits !== undefined || plan === 'enterprise' || alone || waiting || isUnknown || isElsewhere;
}
