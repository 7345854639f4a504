import { referenceOf } from './schema-types.mjs';

/** The names of the schemas that are sent. */
export function requestSchemasOf({ paths }) {
  const bodies = Object.values(paths).flatMap((item) => Object.values(item).map(({ requestBody }) => requestBody));
  const schemas = bodies.flatMap((body) => Object.values(body?.content ?? {}).map(({ schema }) => referenceOf(schema)));
  return new Set(schemas.filter((name) => name !== undefined));
}

/** The types of events with the names of their schemas. */
export function eventSchemasOf({ webhooks }) {
  return Object.entries(webhooks).map(([type, { post }]) => {
    const [{ schema }] = Object.values(post.requestBody.content);
    return [type, referenceOf(schema)];
  });
}

/**
 * The names of members that are int64, sorted: by its name a reader knows what a number is.
 * @throws Error where a name is an int64 in one schema and another number in another
 */
export function namesOfInt64({ components: { schemas } }) {
  const members = Object.values(schemas).flatMap(({ properties = {} }) => Object.entries(properties));
  const isNumber = ({ type }) => type === 'integer' || type === 'number';
  const namesWhere = (matches) => new Set(members.filter(([, schema]) => matches(schema)).map(([name]) => name));
  const names = namesWhere((schema) => isNumber(schema) && schema.format === 'int64');
  const others = namesWhere((schema) => isNumber(schema) && schema.format !== 'int64');
  const ambiguous = [...names].filter((name) => others.has(name));
  if (ambiguous.length > 0) throw new Error(`An int64 in one place and another number elsewhere: ${ambiguous.join(', ')}.`);
  return [...names].sort();
}
