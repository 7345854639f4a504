import { buildSchema, graphql, isObjectType, type GraphQLSchema } from 'graphql';
import { checkArguments, guardFields } from './field-checks.js';
import { DateTimeScalar } from './scalars.js';

function shopSchema(scope: string): GraphQLSchema {
  const schema = buildSchema(`
    scalar DateTime
    input Range { from: String, among: [Range] }
    type Shop { name(style: ID): String takings: Int }
    type Query { shop(names: [String], range: Range, first: Int = 3, orderBy: Range, asOf: DateTime): Shop }
  `);
  const shop = schema.getType('Shop');
  const takings = isObjectType(shop) ? shop.getFields()['takings'] : undefined;
  if (takings) takings.extensions = { scope };
  Object.assign(schema.getType('DateTime') ?? {}, DateTimeScalar.toConfig());
  return schema;
}

const NOW = new Date('2026-06-01T12:00:00.000Z');
const present: { newest: Date | undefined } = { newest: undefined };

const schema = shopSchema('accounting');
checkArguments(schema, { now: () => NOW, readNewestTime: () => Promise.resolve(present.newest) });
guardFields(schema);

function ask(source: string, variableValues: Readonly<Record<string, unknown>> = {}, scopes: readonly string[] = []) {
  const rootValue = { shop: { name: 'Ana', takings: 2 } };
  return graphql({ schema, source, variableValues, rootValue, contextValue: { req: { context: { scopes } } } });
}

describe('the checks of fields and arguments', () => {
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
  });

  describe('null', () => {
    it.each([
      ['{ shop(names: ["a", null]) { name } }', {}, 'names[1]'],
      ['query($v: String) { shop(range: { from: $v }) { name } }', { v: null }, 'range.from'],
      ['query($v: Range) { shop(range: $v) { name } }', { v: { among: [{}, { from: null }] } }, 'range.among[1].from'],
      ['{ shop(orderBy: { among: null }) { name } }', {}, 'orderBy.among'],
    ])('is refused as a filter and as a member of an input object: %s', async (source, variables, name) => {
      const { errors = [] } = await ask(source, variables);
      expect(errors).toMatchObject([
        { message: `${name} must not be null; leave it out to get all.`, originalError: { code: 'invalid_parameter' } },
      ]);
    });

    it.each([
      ['{ shop(first: null, orderBy: null, asOf: null) { name } }', {}],
      ['query($v: String, $w: Range) { shop(range: { from: $v }, orderBy: $w) { name } }', {}],
    ])('counts as not given for a page and a moment, and so does a variable without a value: %s', async (source, variables) => {
      expect(await ask(source, variables)).toEqual({ data: { shop: { name: 'Ana' } } });
    });
  });

  it('asOf may be up to this moment, or the time of the newest event where that is later', async () => {
    const at = async (asOf: string) => (await ask('query($v: DateTime) { shop(asOf: $v) { name } }', { v: asOf })).errors;
    for (const newest of [undefined, '2026-05-31T12:00:00.000Z']) {
      present.newest = newest === undefined ? undefined : new Date(newest);
      expect(await at('2026-06-01T12:00:00.000Z')).toBeUndefined();
      expect(await at('2026-06-01T12:00:00.001Z')).toMatchObject([{ originalError: { code: 'invalid_parameter' } }]);
    }
    present.newest = new Date('2026-06-01T12:00:05.000Z');
    expect(await at('2026-06-01T12:00:05.000Z')).toBeUndefined();
    expect(await at('2026-06-01T12:00:05.001Z')).toHaveLength(1);
  });

  describe('a field that requires a scope', () => {
    it('is refused to others, who get the fields beside it', async () => {
      const { data, errors } = await ask('{ shop { name takings } }', {}, ['graphql']);
      expect(data).toEqual({ shop: { name: 'Ana', takings: null } });
      expect(errors).toMatchObject([{ path: ['shop', 'takings'], originalError: { code: 'insufficient_scope', status: 403 } }]);
    });
  });
});
