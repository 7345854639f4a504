import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { authorized, framingOf, JSON_TYPE, measureLength, type RequestParts } from './hostile-request.js';
import {
  bytesOf,
  hostileValues,
  type HostileValue,
  type Kind,
  toListParameter,
  namedFor,
  objectOf,
  givenFor,
  percentEncoded,
  rightValue,
} from './hostile-values.js';
import { judgeUnstorable } from './invariants.js';

type Field = GraphQLField<unknown, unknown>;

/** A field that takes arguments, and the fields that lead to it from the root. */
interface Place {
  readonly type: GraphQLObjectType;
  readonly field: Field;
  readonly way: readonly Field[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  Int: 'number',
  Float: 'number',
  ID: 'identifier',
  String: 'text',
  Boolean: 'boolean',
  DateTime: 'moment',
};
const DEEPEST_INPUT = 4;
const OPERATION_NAME = 'operationName';

/** The names of all arguments of all fields and of all members of input objects, such as `Query.pet(id:)` and `PetFilter.status`. */
export function argumentNames(schema: GraphQLSchema): string[] {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const ofFields = types
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).flatMap((field) => field.args.map(({ name }) => argumentName(type, field, name))));
  const ofInputs = types.filter(isInputObjectType).flatMap((type) => Object.keys(type.getFields()).map((name) => `${type.name}.${name}`));
  return [...ofFields, ...ofInputs, OPERATION_NAME];
}

/** The names that fields and arguments of a schema have. */
export function namesIn(schema: GraphQLSchema): { readonly fields: readonly string[]; readonly arguments: readonly string[] } {
  const fields = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !isIntrospectionType(type))
    .flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []));
  return {
    fields: [...new Set(fields.map(({ name }) => name))],
    arguments: [...new Set(fields.flatMap(({ args }) => args.map(({ name }) => name)))],
  };
}

/** Documents that ask each field with hostile arguments, in literals and in variables. */
export function fieldRequests(key: string, schema: GraphQLSchema): fc.Arbitrary<RequestParts> {
  const operations = fc.oneof(...placesOf(schema).map((place) => ({ weight: place.field.args.length, arbitrary: operationsOn(place) })));
  const names = fc.oneof(
    { weight: 15, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: hostileValues(OPERATION_NAME, 'text') },
  );
  return fc.tuple(operations, names, fc.boolean()).map(([{ query, given, isRoot }, name, byPost]) => {
    const variables = objectOf(given.flatMap(({ byVariable, value }, index) => (byVariable ? [{ of: `v${index}`, value }] : [])));
    const drawn = [...given.map(({ value }) => value), ...(name ? [name] : [])];
    const isUnstorable = drawn.some((value) => value.isUnstorable);
    const parts = byPost ? posted(key, query, variables.json, name?.json) : got(key, query, variables.json, name?.plain);
    return {
      ...parts,
      ...framingOf(parts, isUnstorable),
      draws: drawn.flatMap((value) => value.names),
      // A field below another one is not asked where that one is null.
      ...(isUnstorable && isRoot && { judge: judgeUnstorable }),
    };
  });
}

function posted(key: string, query: string, variables: string, operationName = 'null'): RequestParts {
  const body = bytesOf(`{"query":${JSON.stringify(query)},"variables":${variables},"${OPERATION_NAME}":${operationName}}`);
  const headers = [...authorized(key), JSON_TYPE, measureLength(body)];
  return { kind: 'field by POST', method: 'POST', target: '/graphql', headers, body };
}

function got(key: string, query: string, variables: string, operationName?: string): RequestParts {
  const members = { query, variables, ...(operationName !== undefined && { [OPERATION_NAME]: operationName }) };
  const target = `/graphql?${Object.entries(members)
    .map(([name, text]) => `${name}=${percentEncoded(text)}`)
    .join('&')}`;
  return { kind: 'field by GET', target, headers: authorized(key) };
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
    Object.values(type.getFields())
      .filter(({ args }) => args.length > 0)
      .map((field) => ({ type, field, way })),
  );
}

function operationsOn({ type, field, way }: Place) {
  const parts = field.args.map((argument) => ({
    of: argument,
    hostile: valuesOf(argument.type, argumentName(type, field, argument.name), DEEPEST_INPUT),
    right: fc.constant(rightOf(argument.type)),
    isRequired: isRequiredArgument(argument),
  }));
  const ways = fc.array(fc.boolean(), { minLength: 2 * parts.length, maxLength: 2 * parts.length });
  return fc.tuple(givenFor(parts), ways, fc.integer({ min: 1, max: 3 })).map(([given, byVariables, depth]) => {
    const all = given.map(({ of: { name, type: declared }, value }, index) => ({
      name,
      value,
      type: String(declared),
      byVariable: byVariables[index] ?? false,
    }));
    const own = all.map(({ name, value, byVariable }, index) => `${name}: ${byVariable ? `$v${index}` : value.literal}`);
    const declared = all.flatMap(({ type: variable, byVariable }, index) => (byVariable ? [`$v${index}: ${variable}`] : []));
    const asked = `${field.name}${inBrackets(own)} ${selectionOf(field.type, depth)}`;
    const document = way.reduceRight((below, above) => `${above.name}${rightArguments(above)} { ${below} }`, asked);
    return { query: `query Q${inBrackets(declared)} { ${document} }`, given: all, isRoot: way.length === 0 };
  });
}

function valuesOf(type: GraphQLInputType, name: string, depth: number): fc.Arbitrary<HostileValue> {
  if (isNonNullType(type)) return valuesOf(type.ofType, name, depth);
  if (isListType(type)) {
    const item = valuesOf(type.ofType, name, depth);
    return fc.oneof(item, fc.array(item, { maxLength: 3 }).map(toListParameter));
  }
  if (!isInputObjectType(type) || depth === 0) return hostileValues(name, describeKind(type));
  const members = Object.values(type.getFields()).map((member) => ({
    of: member.name,
    hostile: valuesOf(member.type, `${type.name}.${member.name}`, depth - 1),
    right: fc.constant(rightOf(member.type)),
    isRequired: isRequiredInputField(member),
  }));
  return givenFor(members).map((given) => namedFor(name, objectOf(given)));
}

function describeKind(type: GraphQLInputType): Kind {
  const named = getNamedType(type);
  return isEnumType(named) ? { words: named.getValues().map(({ name }) => name) } : (KINDS[named.name] ?? 'text');
}

function rightOf(type: GraphQLInputType): HostileValue {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return rightValue(describeKind(type));
  const required = Object.values(named.getFields()).filter(isRequiredInputField);
  return objectOf(required.map((member) => ({ of: member.name, value: rightOf(member.type) })));
}

function rightArguments({ args }: Field): string {
  return inBrackets(args.filter(isRequiredArgument).map(({ name, type }) => `${name}: ${rightOf(type).literal}`));
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

function argumentName(type: GraphQLObjectType, field: Field, argument: string): string {
  return `${type.name}.${field.name}(${argument}:)`;
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `(${parts.join(', ')})`;
}
