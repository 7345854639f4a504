const REFERENCE = '#/components/schemas/';

/** What clients call an animal; the document, of which the paths speak of pets, has shorter names. */
const NAMES = { NewPet: 'NewAnimal', Pet: 'Animal', PetChanges: 'AnimalChanges', PetStatus: 'AnimalStatus' };

/** What the client calls things itself. A module may have a schema of such a name. */
const OWN_NAMES = new Set([
  ...Object.values(NAMES),
  ...['AdoptionError', 'AdoptionEvent', 'Client', 'ErrorCode', 'EventData', 'EventOf', 'EventType', 'WebhookEvent'],
]);

/** The name that the schema of this name has in TypeScript. */
export function nameOf(schemaName) {
  return NAMES[schemaName] ?? (OWN_NAMES.has(schemaName) ? `${schemaName}Resource` : schemaName);
}

/** The name of the schema that is referred to; undefined where the schema stands itself. */
export function referenceOf({ $ref }) {
  return $ref?.slice(REFERENCE.length);
}

/** Whether there is an int64 anywhere in it. */
export function usesIds(schema, schemas) {
  const name = referenceOf(schema);
  if (name !== undefined) return usesIds(schemas[name], schemas);
  const parts = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return schema.format === 'int64' || parts.some((part) => usesIds(part, schemas));
}

/** The TypeScript type of a schema. @throws Error for a form that is not known here */
export function typeOf(schema, schemas) {
  const name = referenceOf(schema);
  if (name !== undefined) return `${nameOf(name)}${usesIds(schema, schemas) ? '<Id>' : ''}`;
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, schemas)).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  switch (schema.type) {
    case 'integer':
      return schema.format === 'int64' ? 'Id' : 'number';
    case 'array':
      return `readonly (${typeOf(schema.items, schemas)})[]`;
    case 'object':
      return `{ ${Object.entries(schema.properties)
        .map((member) => inlineMember(member, schema, schemas))
        .join(' ')} }`;
    case 'boolean':
    case 'null':
    case 'number':
    case 'string':
      return schema.type;
    default:
      throw new Error(`No type is known for ${JSON.stringify(schema)}.`);
  }
}

function inlineMember([name, schema], { required = [] }, schemas) {
  return `readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, schemas)};`;
}
