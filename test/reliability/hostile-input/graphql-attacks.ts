import fc from 'fast-check';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { GRAPHQL_BOMBS } from './graphql-bombs.js';
import { authorized, JSON_TYPE, lengthOf, requestOf, type Attack, type HostileRequest } from './hostile-request.js';
import { bytesOf, hostileClasses, listOf, objectOf, percentEncoded, rightValue } from './hostile-values.js';
import type { HostileValue, Kind } from './hostile-values.js';

type Field = GraphQLField<unknown, unknown>;

/** What is sent to `/graphql`: a document, and the rest as JSON. */
interface Asked {
  readonly query: string;
  readonly variables?: string;
  readonly operationName?: string;
}

const KINDS: Readonly<Record<string, Kind>> = { Int: 'number', Float: 'number', ID: 'number', Boolean: 'boolean', DateTime: 'moment' };
const DEEPEST_INPUT = 4;
const ANSWERED: readonly number[] = [200, 400, 405, 406, 413, 414, 415, 431];

const DOCUMENTS = [
  '',
  '{',
  '{}',
  '#'.repeat(5_000),
  '{ a '.repeat(5_000),
  '['.repeat(10_000),
  `{ pet(id: ${'['.repeat(900)}1${']'.repeat(900)}) { id } }`,
  'query($v: [[[[[[[[[[[[[[[Int]]]]]]]]]]]]]]]) { petCounts { count } }',
  '{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }',
  'query A { petCounts { count } } query A { petCounts { count } }',
  'mutation { petCounts { count } }',
  'subscription { petCounts { count } }',
  'type X { a: Int }',
  '{ petCounts { count } } \ud800',
  '{ pet(id: 1) { __proto__: name constructor toString { x } } }',
  `{ petCounts ${'@x '.repeat(50)} { count } }`,
  '\ufeff{ petCounts { count } }',
];
const VARIABLES = ['{"v":1e400}', '{"__proto__":{"v":1}}', '[]', '"x"', '7', '{"v":9223372036854775808}', '{"v":1,"v":2}', 'nul'];
const OPERATION_NAMES = ['""', '7', '"__proto__"', '{}', '"\\ud800"'];
const ENVELOPES = [
  '[{"query":"{ petCounts { count } }"}]',
  '{"query":null}',
  '{"query":["{}"]}',
  '{"query":"{}","query":"{}"}',
  '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
  `{"query":"{ petCounts { count } }","variables":${'['.repeat(9_000)}`,
];

/** Attacks on every argument of every field and every member of an input, and documents that are hostile as a whole. */
export function graphqlAttacks(key: string, schema: GraphQLSchema): readonly Attack[] {
  const eitherWay = (name: string, asked: Asked): Attack => fc.boolean().map((byPost) => asking(key, name, asked, byPost));
  const whole = [
    ...GRAPHQL_BOMBS.map(([name, query, variables]) =>
      fc.constant({
        ...asking(key, `a GraphQL bomb of ${name}`, { query, variables: JSON.stringify(variables) }, true),
        isToBeRefused: true,
      }),
    ),
    ...DOCUMENTS.map((query) => eitherWay('a GraphQL document', { query })),
    ...VARIABLES.map((variables) => eitherWay('GraphQL variables', { query: 'query Q($v: ID = 1) { pet(id: $v) { name } }', variables })),
    ...OPERATION_NAMES.map((operationName) => eitherWay('an operation name', { query: '{ __typename }', operationName })),
  ];
  const envelopes = [...ENVELOPES.map((body) => fc.constant(body)), fc.json({ maxDepth: 3 })].map((bodies) =>
    bodies.map((body) => posting(key, 'a GraphQL envelope', body)),
  );
  return [...placesOf(schema).flatMap((place) => attacksOn(key, place)), ...whole, ...envelopes];
}

function posting(key: string, name: string, text: string): HostileRequest {
  const body = bytesOf(text);
  return toGraphql({ name, method: 'POST', target: '/graphql', headers: [...authorized(key), JSON_TYPE, lengthOf(body)], body });
}

function asking(key: string, name: string, { query, variables = 'null', operationName = 'null' }: Asked, byPost: boolean): HostileRequest {
  if (byPost) return posting(key, name, `{"query":${JSON.stringify(query)},"variables":${variables},"operationName":${operationName}}`);
  const target = `/graphql?query=${percentEncoded(query)}&variables=${percentEncoded(variables)}`;
  return toGraphql({ name, target, headers: authorized(key) });
}

function toGraphql(parts: Parameters<typeof requestOf>[0]): HostileRequest {
  const { target: _, ...request } = requestOf(parts);
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
  return field.args.flatMap((attacked) =>
    hostileFor(attacked.type, DEEPEST_INPUT).map((values) =>
      fc.tuple(values, fc.boolean(), fc.boolean(), fc.integer({ min: 1, max: 3 })).map(([value, byVariable, byPost, depth]) => {
        const others = field.args.filter((argument) => argument !== attacked && isRequiredArgument(argument));
        const given = [
          `${attacked.name}: ${byVariable ? '$v' : value.literal}`,
          ...others.map((other) => `${other.name}: ${rightFor(other.type).literal}`),
        ];
        const asked = `${field.name}(${given.join(', ')}) ${selectionOf(field.type, depth)}`;
        const document = way.reduceRight((below, above) => `${above.name}${rightArguments(above)} { ${below} }`, asked);
        const query = `query Q${byVariable ? `($v: ${String(attacked.type)})` : ''} { ${document} }`;
        const name = `${type.name}.${field.name} with a hostile ${attacked.name}`;
        const request = asking(key, name, { query, ...(byVariable && { variables: `{"v":${value.json}}` }) }, byPost);
        // A field below another one is not asked where that one is null.
        return { ...request, isWhole: request.isWhole && !value.isUnstorable, isToBeRefused: value.isUnstorable && way.length === 0 };
      }),
    ),
  );
}

function hostileFor(type: GraphQLInputType, depth: number): fc.Arbitrary<HostileValue>[] {
  if (isNonNullType(type)) return hostileFor(type.ofType, depth);
  if (isListType(type)) {
    return hostileFor(type.ofType, depth).map((values) => fc.oneof(values, fc.array(values, { maxLength: 3 }).map(listOf)));
  }
  if (!isInputObjectType(type) || depth === 0) return [...hostileClasses(kindOf(type))];
  const members = Object.values(type.getFields());
  return members.flatMap((attacked) => {
    const others = members.filter((member) => member !== attacked && isRequiredInputField(member));
    const right = others.map((other) => [other.name, rightFor(other.type)] as const);
    return hostileFor(attacked.type, depth - 1).map((values) => values.map((value) => objectOf([[attacked.name, value], ...right])));
  });
}

function kindOf(type: GraphQLInputType): Kind {
  const named = getNamedType(type);
  return isEnumType(named) ? { words: named.getValues().map(({ name }) => name) } : (KINDS[named.name] ?? 'text');
}

function rightFor(type: GraphQLInputType): HostileValue {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return rightValue(kindOf(type));
  const required = Object.values(named.getFields()).filter(isRequiredInputField);
  return objectOf(required.map((member) => [member.name, rightFor(member.type)]));
}

function rightArguments({ args }: Field): string {
  const required = args.filter(isRequiredArgument).map(({ name, type }) => `${name}: ${rightFor(type).literal}`);
  return required.length === 0 ? '' : `(${required.join(', ')})`;
}

/** What can be asked of a type without arguments, some levels down. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && (depth > 1 || !isObjectType(getNamedType(field.type))),
  );
  return `{ __typename ${fields.map((field) => `${field.name} ${selectionOf(field.type, depth - 1)}`).join(' ')} }`;
}
