import { eventSchemasOf, namesOfInt64, requestSchemasOf } from './document-facts.mjs';
import { nameOf, typeOf, usesIds } from './schema-types.mjs';

/** Messages that only webhook endpoints get, as tests. */
const TEST = 'webhook.test';

/** What the client has in another form: errors are thrown, pages and streams are iterated, events have a type each, and an empty body is omitted. */
const LEFT_OUT = new Set(['CloudEvent', 'CloudEventAttributes', 'Error', 'EventStream', 'OrderTransition']);

/**
 * The TypeScript module for the bodies of an OpenAPI document: a type for each schema, with the type of ids as its parameter if it has
 * ids, the types of events, the error codes, and the names of members that are int64.
 * @throws Error where a form is not known here, or a name is an int64 in one place and another number elsewhere
 */
export function renderClientTypes(document) {
  const { schemas } = document.components;
  const requests = requestSchemasOf(document);
  const leftOut = new Set([...LEFT_OUT, ...eventSchemasOf(document).map(([, name]) => name)]);
  const declarations = Object.keys(schemas)
    .filter((name) => !leftOut.has(name) && schemas[name].type !== 'array')
    .map((name) => declarationOf(name, schemas, requests.has(name)));
  return [
    '// Written by scripts/write-client-types.mjs from docs/reference/openapi.json.',
    ...declarations,
    errorCodes(schemas),
    events(document),
    int64Members(document),
  ].join('\n\n');
}

function declarationOf(name, schemas, isSent) {
  const schema = schemas[name];
  const head = `${comment(schema)}export`;
  if (schema.type !== 'object') return `${head} type ${nameOf(name)} = ${typeOf(schema, schemas)};`;
  const parameter = usesIds(schema, schemas) ? '<Id>' : '';
  return `${head} interface ${nameOf(name)}${parameter} {\n${membersOf(schema, schemas, isSent)}\n}`;
}

/** A request may have undefined members, which are omitted. */
function membersOf({ properties = {}, required = [] }, schemas, isSent) {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const isRequired = required.includes(name);
      const type = `${typeOf(schema, schemas)}${isSent && !isRequired ? ' | undefined' : ''}`;
      return `${comment(schema)}readonly ${name}${isRequired ? '' : '?'}: ${type};`;
    })
    .join('\n');
}

function errorCodes({ Error: { properties } }) {
  return `${comment({ description: 'A stable name of why a request was refused.' })}export type ErrorCode = ${properties.code.enum
    .map((code) => `'${code}'`)
    .join(' | ')};`;
}

function events(document) {
  const { schemas } = document.components;
  const envelope = membersOf(schemas.CloudEventAttributes, schemas, false);
  const data = eventSchemasOf(document).map(([type, name]) => `readonly '${type}': ${typeOf(schemas[name].properties.data, schemas)};`);
  return `/** The data of an event, by its type. */
export interface EventData<Id> {\n${data.join('\n')}\n}

/** What has happened. */
export type EventType = Exclude<keyof EventData<unknown>, '${TEST}'>;

${comment(schemas.CloudEvent)}export interface EventOf<Type extends keyof EventData<unknown>, Id> {
${envelope}
/** What has happened, such as \`pet.added\`. */
readonly type: Type;
/** The subject of the event, in the form that REST returned just after the event. */
readonly data: EventData<Id>[Type];
}

/** An event of one of these types, of any type unless given. Its \`type\` says which. */
export type AdoptionEvent<Id, Type extends EventType = EventType> = { [Each in Type]: EventOf<Each, Id> }[Type];

/** What a webhook endpoint receives: an event, or the message that tries the endpoint. */
export type WebhookEvent<Id> = AdoptionEvent<Id> | EventOf<'${TEST}', Id>;`;
}

function int64Members(document) {
  const names = namesOfInt64(document).map((name) => `'${name}'`);
  return `/** The names of members that are int64, wherever they stand. */
export const INT64_MEMBERS: ReadonlySet<string> = new Set([${names.join(', ')}]);`;
}

function comment({ description, $ref }) {
  return description === undefined || $ref !== undefined ? '' : `/** ${description.replaceAll('*/', '*\\/')} */\n`;
}
