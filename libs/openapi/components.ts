import type { HeaderObject, ReferenceObject, ResponseObject, SchemaObject } from '@nestjs/swagger';

/** The reusable parts of the document. A module defines its own when it is loaded, beside the operations that use them. */
const components = {
  headers: new Map<string, HeaderObject>(),
  responses: new Map<string, ResponseObject>(),
  schemas: new Map<string, SchemaObject>(),
};

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** Defines a schema (JSON Schema 2020-12, as OpenAPI 3.1 takes it) and gives the reference to use in its place. */
export function defineSchema(name: string, schema: SchemaObject): ReferenceObject {
  return define('schemas', components.schemas, name, schema);
}

/** Defines a response; a reference to it is `#/components/responses/NAME`. */
export function defineResponse(name: string, response: ResponseObject): void {
  define('responses', components.responses, name, response);
}

/** Defines a response header and gives the reference to use in its place. */
export function defineHeader(name: string, header: HeaderObject): ReferenceObject {
  return define('headers', components.headers, name, header);
}

/** What was defined and the paths refer to, also through one another; each kind in the order of its names. */
export function componentsOf(paths: object): Record<string, Record<string, object>> {
  const used = new Set<object>();
  addReferred(paths, used);
  return Object.fromEntries(
    Object.entries(components).map(([kind, definitions]) => [
      kind,
      inOrderOfNames([...definitions].filter(([, definition]) => used.has(definition))),
    ]),
  );
}

function addReferred(part: object, used: Set<object>): void {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(REFERENCE)) {
    const definition = new Map<string, ReadonlyMap<string, object>>(Object.entries(components)).get(kind)?.get(name);
    if (!definition || used.has(definition)) continue;
    used.add(definition);
    addReferred(definition, used);
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
