import { buildSchema, parse } from 'graphql';
import { findExcessShape } from './bounds.js';

const schema = buildSchema(`
  type PetConnection { edges: [PetEdge] nodes: [Pet] }
  type PetEdge { node: Pet cursor: String }
  type Pet { id: ID friends: PetConnection node: Pet edges: Pet }
  type Query { pets: PetConnection node: Pet }
`);

/** A field with this many levels. */
function levels(count: number): string {
  return `${'a { '.repeat(count - 1)}a${' }'.repeat(count - 1)}`;
}

describe('the shape of a document', () => {
  it.each([
    ['introspection beside other fields', `{ __schema { ${levels(15)} } ${levels(8)} }`, undefined],
    ['edges and node of connections, which are no levels', `{ pets { edges { node { ${levels(7)} } } } }`, undefined],
    ['what is below edges and node', `{ pets { edges { node { ${levels(8)} } } } }`, expect.stringMatching(/is 9 levels/)],
    ['nodes of a connection, which is a level', `{ pets { nodes { ${levels(7)} } } }`, expect.stringMatching(/is 9 levels/)],
    [
      'edges and node in fragments',
      `{ pets { ...C } } fragment C on PetConnection { edges { ... { ... on PetEdge { ...E } } } } fragment E on PetEdge { node { ${levels(7)} } }`,
      undefined,
    ],
    [
      'fields of other types named edges and node',
      `{ node { ${'node { edges { '.repeat(4)} id ${'} } '.repeat(4)} } }`,
      expect.stringMatching(/is 10/),
    ],
    ['edges and node of unknown types', `{ x { ${'edges { node { '.repeat(4)} id ${'} } '.repeat(4)} } }`, expect.stringMatching(/is 10/)],
    [
      'many connections within one another',
      `{ pets { ${'edges { node { friends { '.repeat(8)} edges { cursor } ${'} } } '.repeat(8)} } }`,
      expect.stringMatching(/is 10/),
    ],
  ])('is that of %s', (_, document, excess) => {
    expect(findExcessShape(schema, parse(document))).toEqual(excess);
  });
});
