import { buildSchema, Kind, parse, type GraphQLSchema } from 'graphql';
import { readModelOf } from './read-model.plugin.js';

const READ_MODELS: Readonly<Record<string, string>> = { pet: 'pets', pets: 'pets', keys: 'keys' };

function schemaWithReadModels(): GraphQLSchema {
  const schema = buildSchema('type Pet { name: String } type Query { pet: Pet pets: [Pet] keys: [String] events: [String] }');
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const readModel = READ_MODELS[field.name];
    if (readModel !== undefined) field.extensions = { readModel };
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
  ])('of %s is %s', (text, expected) => {
    const document = parse(text);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('The operation comes first.');
    expect(readModelOf(schemaWithReadModels(), document, operation)).toBe(expected);
  });
});
