import { buildSchema, graphql, isObjectType, type GraphQLSchema } from 'graphql';
import { checkArguments, guardFields } from './field-checks.js';

function shopSchema(scope: string): GraphQLSchema {
  const schema = buildSchema(`
    input Range { from: String, among: [Range!] }
    type Shop { name(style: ID): String takings: Int }
    type Query { shop(names: [String!], range: Range): Shop }
  `);
  const shop = schema.getType('Shop');
  const takings = isObjectType(shop) ? shop.getFields()['takings'] : undefined;
  if (takings) takings.extensions = { scope };
  return schema;
}

const schema = shopSchema('accounting');
checkArguments(schema);
guardFields(schema, new Set(['accounting', 'graphql']));

function ask(source: string, variableValues: Readonly<Record<string, unknown>> = {}, scopes: readonly string[] = []) {
  const rootValue = { shop: { name: 'Ana', takings: 2 } };
  return graphql({ schema, source, variableValues, rootValue, contextValue: { req: { context: { scopes } } } });
}

describe('the text arguments of a schema', () => {
  it.each([
    ['{ shop(names: ["a", "\\u0000"]) { name } }', {}, 'names[1]'],
    ['{ shop(range: { among: [{ from: "\\u0000" }] }) { name } }', {}, 'range.among[0].from'],
    ['query($v: Range) { shop(range: $v) { name } }', { v: { among: [{}, { from: '\udc00' }] } }, 'range.among[1].from'],
    ['query($v: String! = "\\u0000") { shop(names: [$v]) { name } }', {}, 'names[0]'],
    ['query($v: ID) { shop { name(style: $v) } }', { v: '\ud800' }, 'style'],
  ])('are refused by name in %s', async (source, variables, name) => {
    const { errors = [] } = await ask(source, variables);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^\S+ must be without U\+0000 and lone surrogates, but holds U\+/),
    ]);
    expect(errors[0]?.message.startsWith(`${name} must`)).toBe(true);
  });

  it('reach the field unchanged otherwise', async () => {
    expect((await ask('{ shop(names: ["🐈"], range: { from: "a" }) { name(style: 1) } }')).errors).toBeUndefined();
  });
});

describe('a field that requires a scope', () => {
  it('is given to a key that has it', async () => {
    expect(await ask('{ shop { name takings } }', {}, ['graphql', 'accounting'])).toEqual({ data: { shop: { name: 'Ana', takings: 2 } } });
  });

  it('is refused to others, who get the fields beside it', async () => {
    const { data, errors } = await ask('{ shop { name takings } }', {}, ['graphql']);
    expect(data).toEqual({ shop: { name: 'Ana', takings: null } });
    expect(errors).toMatchObject([{ path: ['shop', 'takings'], originalError: { code: 'insufficient_scope', status: 403 } }]);
  });

  it('stops the start if no module declares the scope', () => {
    expect(() => guardFields(shopSchema('acounting'), new Set(['accounting']))).toThrow(
      'The field Shop.takings requires the scope acounting, which no module declares.',
    );
  });
});
