/** Documents that would cost far more than they are long, each with what makes it so and its variables. */
export const GRAPHQL_BOMBS: readonly (readonly [name: string, query: string, variables: object])[] = [
  ['depth', `${'{ a '.repeat(300)}${'}'.repeat(300)}`, {}],
  ['aliases', `{ ${Array.from({ length: 200 }, (_, index) => `a${index}: petCounts { count }`).join(' ')} }`, {}],
  ['tokens', `{ ${'petCounts { count } '.repeat(3_000)} }`, {}],
  ['cost', '{ pets(first: 100) { nodes { orders(first: 100) { nodes { history { type data } } } } } }', {}],
  [
    'fragments that double',
    `{ pet(id: 1) { ...F0 } } ${Array.from({ length: 80 }, (_, index) => `fragment F${index} on Pet { ...F${index + 1} ...F${index + 1} }`).join(' ')} fragment F80 on Pet { id }`,
    {},
  ],
  ['fragments in a circle', '{ pet(id: 1) { ...F } } fragment F on Pet { ...G } fragment G on Pet { ...F }', {}],
  ['overlapping fields', `{ ${'pets(first: 1) { nodes { id } } '.repeat(100)} }`, {}],
  ['directives', `{ petCounts ${'@include(if: true) '.repeat(190)} { count } }`, {}],
  ['suggestions', `{ ${'petCuonts '.repeat(900)} }`, {}],
  ['introspection', `{ __schema { types { ${'fields { type { '.repeat(30)} name ${'} }'.repeat(30)} } } }`, {}],
  ['variables', `query(${Array.from({ length: 240 }, (_, index) => `$v${index}: Int`).join(' ')}) { petCounts { count } }`, {}],
  ['nested variables', 'query($v: JSON) { petCounts { count } }', { v: JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) as unknown }],
  ['a long text', `{ ${'# comment\n'.repeat(5_000)} `, {}],
];
