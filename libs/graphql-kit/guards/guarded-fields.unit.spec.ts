import { graphql, GraphQLInt, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { guardFields } from './guarded-fields.js';

function schemaAsking(scope: string): GraphQLSchema {
  const Shop = new GraphQLObjectType({
    name: 'Shop',
    fields: { open: { type: GraphQLInt, resolve: () => 1 }, takings: { type: GraphQLInt, extensions: { scope }, resolve: () => 2 } },
  });
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { shop: { type: Shop, resolve: () => ({}) } } }) });
}

function ask(scopes: readonly string[]) {
  const schema = schemaAsking('accounting');
  guardFields(schema, new Set(['accounting', 'graphql']));
  return graphql({ schema, source: '{ shop { open takings } }', contextValue: { req: { context: { scopes } } } });
}

describe('a field that asks for a scope', () => {
  it('is given to a key that has it', async () => {
    expect(await ask(['graphql', 'accounting'])).toEqual({ data: { shop: { open: 1, takings: 2 } } });
  });

  it('is refused to others, who get the fields beside it', async () => {
    const { data, errors } = await ask(['graphql']);
    expect(data).toEqual({ shop: { open: 1, takings: null } });
    expect(errors).toMatchObject([{ path: ['shop', 'takings'], originalError: { code: 'insufficient_scope', status: 403 } }]);
  });

  it('stops the start when no module brings the scope', () => {
    expect(() => guardFields(schemaAsking('acounting'), new Set(['accounting']))).toThrow(
      'The field Shop.takings requires the scope acounting, which no module brings.',
    );
  });
});
