import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { LARGEST_LIMIT } from '../pagination/pages.js';
import { listMembers, type DescribedBody } from '../routes/route-metadata.js';
import { getInputSchema, type InputClass } from '../validation/rules.js';

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** Schemas that modules define when they are loaded. */
const schemas = new Map<string, SchemaObject>();

/**
 * Defines a schema (JSON Schema 2020-12, as in OpenAPI 3.1).
 * @returns the reference to use in its place
 * @throws Error if the name is taken
 */
export function defineSchema(name: string, schema: SchemaObject): ReferenceObject {
  if (schemas.has(name)) throw new Error(`The schema ${name} is defined twice.`);
  schemas.set(name, schema);
  return { $ref: `#/components/schemas/${name}` };
}

/** Defines the schema of an object without further members. @returns as `defineSchema` does */
export function defineObject(
  name: string,
  description: string | undefined,
  required: string[],
  properties: Record<string, SchemaObject | ReferenceObject>,
): ReferenceObject {
  return defineSchema(name, { type: 'object', ...(description && { description }), required, additionalProperties: false, properties });
}

const bodies = new WeakMap<DescribedBody, ReferenceObject>();

/** Defines the schema of a body by the rules of its class, once, and returns the reference to it. */
export function bodySchema(body: DescribedBody): ReferenceObject {
  const known = bodies.get(body);
  if (known) return known;
  const members = listMembers(body);
  const { required } = getInputSchema(body.type);
  const requiredMembers = members.map(([name]) => name).filter((name) => required.includes(name));
  const reference = defineObject(body.schema, body.description, requiredMembers, Object.fromEntries(members));
  bodies.set(body, reference);
  return reference;
}

/** A time in a response: in UTC to the millisecond, with a year of four digits. */
export const timeSchema = { type: 'string', format: 'date-time', maxLength: 24 } as const satisfies SchemaObject;

/**
 * Defines the schema of what a command has made: `id`, the members of the command's input, and further members, which are always there.
 * @returns as `defineSchema` does
 */
export function defineResource(
  name: string,
  { input, description, further = {} }: { input: InputClass; description: string; further?: Readonly<Record<string, SchemaObject>> },
): ReferenceObject {
  const { properties, required } = getInputSchema(input);
  const members = Object.entries(properties).map(([member, schema]): [string, SchemaObject] => [
    member,
    schema['format'] === 'date-time' ? { ...schema, ...timeSchema } : schema,
  ]);
  return defineObject(name, description, ['id', ...required, ...Object.keys(further)], {
    id: { type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service; never used again.' },
    ...Object.fromEntries(members),
    ...further,
  });
}

/** Defines the schema of a page of a list and returns the reference to it. */
export function definePage(name: string, items: ReferenceObject, description: string): ReferenceObject {
  return defineSchema(name, { type: 'array', description, maxItems: LARGEST_LIMIT, items });
}

/** Returns a defined schema with all schemas that it references inside, for readers without the document. */
export function standaloneSchema(schema: ReferenceObject): object {
  const { schemas: $defs = {} } = usedComponents([schema], {});
  return JSON.parse(JSON.stringify({ ...schema, $defs }).replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/$defs/')) as object;
}

/** Returns the components that the parts reference, also through one another: kinds and names in order. */
export function usedComponents(parts: object, further: Components): Record<string, Record<string, object>> {
  const all: Components = { ...further, schemas: { ...Object.fromEntries(schemas), ...further['schemas'] } };
  const used = new Set<object>();
  const addReferenced = (part: object): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)) {
      const component = all[kind]?.[name];
      if (!component || used.has(component)) continue;
      used.add(component);
      addReferenced(component);
    }
  };
  addReferenced(parts);
  return Object.fromEntries(
    sortByName(all).map(([kind, components]) => [
      kind,
      Object.fromEntries(sortByName(components).filter(([, component]) => used.has(component))),
    ]),
  );
}

/** Entries in the order of code units, the same everywhere. */
export function sortByName<Value>(values: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(values).sort(([left], [right]) => (left < right ? -1 : 1));
}
