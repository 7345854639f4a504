import type { HeaderObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { LARGEST_LIMIT, membersOf, type DescribedBody } from '#libs/api-kit';
import { schemaOf } from '#libs/validation';

/** The reusable parts of the document. A module defines its own when it is loaded, beside the operations that use them. */
const defined = {
  headers: new Map<string, HeaderObject>(),
  schemas: new Map<string, SchemaObject>(),
};

type Definitions = ReadonlyMap<string, ReadonlyMap<string, object>>;

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** Defines a schema (JSON Schema 2020-12, as OpenAPI 3.1 takes it) and gives the reference to use in its place. */
export function defineSchema(name: string, schema: SchemaObject): ReferenceObject {
  return define('schemas', defined.schemas, name, schema);
}

const bodies = new WeakMap<DescribedBody, ReferenceObject>();

/** Defines the schema of a body by the rules of its class, once, and gives the reference to use in its place. */
export function bodySchema(body: DescribedBody): ReferenceObject {
  const known = bodies.get(body);
  if (known) return known;
  const members = membersOf(body);
  const { required } = schemaOf(body.type);
  const reference = defineSchema(body.schema, {
    type: 'object',
    ...(body.description && { description: body.description }),
    required: members.map(([name]) => name).filter((name) => required.includes(name)),
    additionalProperties: false,
    properties: Object.fromEntries(members),
  });
  bodies.set(body, reference);
  return reference;
}

/** A time as every answer writes it: in UTC to the millisecond, of a year of four digits. */
export const timeSchema = { type: 'string', format: 'date-time', maxLength: 24 } as const satisfies SchemaObject;

/** Defines the schema of a page of a list and gives the reference to use in its place. */
export function definePage(name: string, items: ReferenceObject, description: string): ReferenceObject {
  return defineSchema(name, { type: 'array', description, maxItems: LARGEST_LIMIT, items });
}

/** A defined schema with all that it refers to in it, for readers who do not have the document. */
export function standaloneSchema(schema: ReferenceObject): object {
  const { schemas = {} } = componentsOf([schema], {});
  const text = JSON.stringify({ ...schema, $defs: schemas });
  return JSON.parse(text.replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/$defs/')) as object;
}

/** Defines a response header and gives the reference to use in its place. */
export function defineHeader(name: string, header: HeaderObject): ReferenceObject {
  return define('headers', defined.headers, name, header);
}

/**
 * What the paths refer to, also through one another; each kind in the order of its names.
 * @param further what is defined for this document alone, by kind and name
 */
export function componentsOf(
  paths: object,
  further: Readonly<Record<string, Readonly<Record<string, object>>>>,
): Record<string, Record<string, object>> {
  const kinds = [...new Set([...Object.keys(defined), ...Object.keys(further)])].sort();
  const definitions: Definitions = new Map(
    kinds.map((kind) => [kind, new Map([...everyOf(kind), ...Object.entries(further[kind] ?? {})])]),
  );
  const used = new Set<object>();
  addReferred(paths, definitions, used);
  return Object.fromEntries(
    [...definitions].map(([kind, ofKind]) => [kind, inOrderOfNames([...ofKind].filter(([, definition]) => used.has(definition)))]),
  );
}

function everyOf(kind: string): Iterable<readonly [string, object]> {
  return new Map<string, ReadonlyMap<string, object>>(Object.entries(defined)).get(kind) ?? [];
}

function addReferred(part: object, definitions: Definitions, used: Set<object>): void {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
    const definition = definitions.get(kind)?.get(name);
    if (!definition || used.has(definition)) continue;
    used.add(definition);
    addReferred(definition, definitions, used);
  }
}

/** @throws Error when another part has the name. */
function define<Definition>(kind: string, definitions: Map<string, Definition>, name: string, definition: Definition): ReferenceObject {
  if (definitions.has(name)) throw new Error(`The component ${name} in ${kind} is defined twice.`);
  definitions.set(name, definition);
  return { $ref: `#/components/${kind}/${name}` };
}

function inOrderOfNames(definitions: readonly (readonly [string, object])[]): Record<string, object> {
  return Object.fromEntries([...definitions].sort(([left], [right]) => (left < right ? -1 : 1)));
}
