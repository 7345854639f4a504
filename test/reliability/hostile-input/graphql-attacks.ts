import fc from 'fast-check';
import { getNamedType, isEnumType, isInputObjectType, isListType, isNonNullType, isObjectType, isRequiredArgument } from 'graphql';
import { isRequiredInputField, type GraphQLField, type GraphQLInputType, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { authorized, JSON_TYPE, lengthOf, requestOf, type Attack, type HostileRequest } from './hostile-request.js';
import { bytesOf, hostileFor, rightFor, type Schema } from './hostile-values.js';

type Field = GraphQLField<unknown, unknown>;

const TYPES: Readonly<Record<string, Schema>> = {
  ...{ Int: { type: 'integer' }, Float: { type: 'number' }, ID: { type: 'integer' }, Boolean: { type: 'boolean' } },
  DateTime: { format: 'date-time' },
};
const DEEPEST_INPUT = 4;
const ANSWERED: readonly number[] = [200, 400, 405, 406, 413, 414, 415, 431];

/** Those that cost more than they are long among them; the bounds are those of test/e2e/graphql-bounds.sqlite.e2e.spec.ts. */
const DOCUMENTS = [
  ...['', '{', '{}', '#'.repeat(5_000), '{ a '.repeat(5_000), '['.repeat(10_000), 'type X { a: Int }', '{ petCounts { count } } \ud800'],
  `{ pet(id: ${'['.repeat(900)}1${']'.repeat(900)}) { id } }`,
  'query($v: [[[[[[[[[[[[[[[Int]]]]]]]]]]]]]]]) { petCounts { count } }',
  '{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }',
  'query A { petCounts { count } } query A { petCounts { count } }',
  '{ pet(id: 1) { __proto__: name constructor toString { x } } }',
  `{ petCounts ${'@include(if: true) '.repeat(190)} { count } }`,
  '{ pets(first: 100) { nodes { orders(first: 100) { nodes { history { type data } } } } } }',
  `{ ${'pets(first: 1) { nodes { id } } '.repeat(100)} }`,
];
const BODIES = [
  ...['1e400', '{"__proto__":1}', '9223372036854775808', '[]', '1,"v":2', 'nul'].map(
    (value) => `{"query":"query Q($v: ID) { pet(id: $v) { name } }","variables":{"v":${value}}}`,
  ),
  ...['""', '7', '"__proto__"', '{}', '"\\ud800"'].map((name) => `{"query":"{ __typename }","operationName":${name}}`),
  ...['[{"query":"{ __typename }"}]', '{"query":null}', '{"query":["{}"]}', '{"query":"{}","query":"{}"}'],
  `{"query":"{ petCounts { count } }","variables":${'['.repeat(9_000)}`,
];

/** Attacks on every argument of every field and every member of an input, and documents that are hostile as a whole. */
export function graphqlAttacks(key: string, schema: GraphQLSchema): readonly Attack[] {
  const whole = [...DOCUMENTS.map((query) => JSON.stringify({ query })), ...BODIES].map((body) => fc.constant(body));
  return [
    ...placesOf(schema).flatMap((place) => attacksOn(key, place)),
    ...[...whole, fc.json({ maxDepth: 3 })].map((bodies) => bodies.map((body) => posting(key, 'a GraphQL document', body))),
  ];
}

function posting(key: string, name: string, text: string): HostileRequest {
  const body = bytesOf(text);
  const headers = [...authorized(key), JSON_TYPE, lengthOf(body)];
  const { target: _, ...request } = requestOf({ name, method: 'POST', target: '/graphql', headers, body });
  return { ...request, statuses: ANSWERED };
}

/** A field that takes arguments, and the fields that lead to it from the root. */
interface Place {
  readonly type: GraphQLObjectType;
  readonly field: Field;
  readonly way: readonly Field[];
}

/** Every field with arguments that can be reached from the root, by the shortest way there. */
function placesOf(schema: GraphQLSchema): Place[] {
  const root = schema.getQueryType();
  const ways = new Map<GraphQLObjectType, readonly Field[]>(root ? [[root, []]] : []);
  // What is added on the way is met on the way.
  for (const [type, way] of ways) {
    for (const field of Object.values(type.getFields())) {
      const below = getNamedType(field.type);
      if (isObjectType(below) && !ways.has(below)) ways.set(below, [...way, field]);
    }
  }
  return [...ways].flatMap(([type, way]) =>
    Object.values(type.getFields()).flatMap((field) => (field.args.length > 0 ? [{ type, field, way }] : [])),
  );
}

function attacksOn(key: string, { type, field, way }: Place): Attack[] {
  return field.args.flatMap((attacked) => {
    const asked = `${field.name}(${[`${attacked.name}: $v`, ...rightArguments(field, attacked.name)].join(', ')})`;
    const leaf = isObjectType(getNamedType(field.type)) ? `${asked} { __typename }` : asked;
    const document = way.reduceRight((below, above) => {
      const right = rightArguments(above);
      return `${above.name}${right.length === 0 ? '' : `(${right.join(', ')})`} { ${below} }`;
    }, leaf);
    const query = JSON.stringify(`query Q($v: ${String(attacked.type)}) { ${document} }`);
    return hostileFor(schemaOf(attacked.type)).map(({ place, values }) =>
      values.map(({ json, isUnstorable }) => {
        const request = posting(
          key,
          `${type.name}.${field.name} with a hostile ${attacked.name}${place}`,
          `{"query":${query},"variables":{"v":${json}}}`,
        );
        // A field below another one is not asked where that one is null.
        return { ...request, isWhole: request.isWhole && !isUnstorable, isToBeRefused: isUnstorable && way.length === 0 };
      }),
    );
  });
}

/** The arguments that a field needs; none of them is an input object. */
function rightArguments({ args }: Field, but = ''): string[] {
  const needed = args.filter((argument) => argument.name !== but && isRequiredArgument(argument));
  return needed.map(
    ({ name, type }) => `${name}: ${isEnumType(getNamedType(type)) ? rightFor(schemaOf(type)).plain : rightFor(schemaOf(type)).json}`,
  );
}

/** What may be sent for a type, as a JSON schema would say it. */
function schemaOf(type: GraphQLInputType, depth = DEEPEST_INPUT): Schema {
  if (isNonNullType(type)) return schemaOf(type.ofType, depth);
  if (isListType(type)) return { items: schemaOf(type.ofType, depth) };
  if (isEnumType(type)) return { enum: type.getValues().map(({ name }) => name) };
  if (!isInputObjectType(type) || depth === 0) return TYPES[type.name] ?? { type: 'string' };
  const members = Object.values(type.getFields());
  return {
    properties: Object.fromEntries(members.map((member) => [member.name, schemaOf(member.type, depth - 1)])),
    required: members.filter(isRequiredInputField).map(({ name }) => name),
  };
}
