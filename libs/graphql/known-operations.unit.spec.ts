import { buildSchema, isObjectType, Kind, parse, type GraphQLSchema } from 'graphql';
import { findReadModel } from './known-operations.js';

/** By the type and name of the field. */
const READ_MODELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Query: { pet: 'pets', pets: 'pets', keys: 'keys', orders: 'orders' },
  Pet: { orders: 'orders' },
  Order: { pet: 'pets' },
};

function schemaWithReadModels(): GraphQLSchema {
  const schema = buildSchema(`
    type Pet { name: String orders: [Order] }
    type Order { status: String pet: Pet history: [String] }
    type Query { pet: Pet pets: [Pet] keys: [String] orders: [Order] events: [String] }`);
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const readModel = READ_MODELS[type.name]?.[field.name];
      if (readModel !== undefined) field.extensions = { readModel };
    }
  }
  return schema;
}

describe('the read model of an operation', () => {
  it.each([
    ['{ pet { name } }', 'pets'],
    ['{ pet { name } pets { __typename } __typename }', 'pets'],
    ['query A { ...on Query { other: pets { name } ...F } } fragment F on Query { pet { name } }', 'pets'],
    ['{ pet { name } keys }', undefined],
    ['{ pet { name } ...F } fragment F on Query { events }', undefined],
    ['{ events }', undefined],
    ['{ pet { name } __schema { types { name } } }', undefined],
    ['{ __typename }', undefined],
    ['{ orders { status history } }', 'orders'],
    ['{ pets: orders { name: status } }', 'orders'],
    ['{ pets { name orders { status } } }', undefined],
    ['{ pets { name: orders { status } } }', undefined],
    ['{ orders { pet { name } } }', undefined],
    ['{ pets { ...F } } fragment F on Pet { ...G } fragment G on Pet { ... on Pet { mine: orders { status } } }', undefined],
    ['{ pets { ... @include(if: false) { orders { status } } } }', undefined],
  ])('of %s is %s', (text, expected) => {
    const document = parse(text);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The operation comes first.');
    expect(findReadModel(schemaWithReadModels(), document, operation)).toBe(expected);
  });
});
