import { buildSchema, graphql } from 'graphql';
import { checkArguments } from './storable-arguments.js';

const schema = buildSchema(`
  input Range { from: String, among: [Range!] }
  type Shop { name(style: ID): String }
  type Query { shop(names: [String!], range: Range): Shop }
`);
checkArguments(schema);

async function messagesOf(source: string, variableValues: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  const { errors = [] } = await graphql({ schema, source, variableValues, rootValue: { shop: { name: 'Ana' } } });
  return errors.map(({ message }) => message);
}

describe('the arguments of a schema', () => {
  it.each([
    ['{ shop(names: ["a", "\\u0000"]) { name } }', {}, 'names[1]'],
    ['{ shop(names: "\\u0000") { name } }', {}, 'names[0]'],
    ['{ shop(range: { among: [{ from: "\\u0000" }] }) { name } }', {}, 'range.among[0].from'],
    ['query($v: Range) { shop(range: $v) { name } }', { v: { among: [{}, { from: '\udc00' }] } }, 'range.among[1].from'],
    ['query($v: String! = "\\u0000") { shop(names: [$v]) { name } }', {}, 'names[0]'],
    ['query($v: ID) { shop { name(style: $v) } }', { v: '\ud800' }, 'style'],
  ])('are refused by name in %s', async (source, variables, name) => {
    const messages = await messagesOf(source, variables);
    expect(messages).toEqual([expect.stringMatching(/ must be without U\+0000 and lone surrogates, but holds U\+/)]);
    expect(messages[0]?.startsWith(`${name} must`)).toBe(true);
  });

  it('are given to the field as they are otherwise', async () => {
    expect(await messagesOf('{ shop(names: ["🐈"], range: { from: "a" }) { name(style: 1) } }')).toEqual([]);
  });
});
