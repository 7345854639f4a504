import { getIntrospectionQuery } from 'graphql';
import fc from 'fast-check';
import { codesOf, startGraphqlService, type GraphqlService } from './graphql.fixture.js';

describe('the bounds on documents', () => {
  let service: GraphqlService;
  beforeAll(async () => {
    service = await startGraphqlService();
    await service.addPet('Rex');
  });
  afterAll(() => service.close());

  const refusalOf = async (query: string, variables?: object) => {
    const answered = await service.ask(query, variables);
    if (!answered.errors) return undefined;
    expect(answered.answer.status).toBe(400);
    expect(codesOf(answered)).toEqual(['invalid_request']);
    return answered.errors[0]?.message;
  };

  it('allow the standard introspection, and bound its depth by itself', async () => {
    expect(await refusalOf(getIntrospectionQuery())).toBeUndefined();
    const types = (levels: number) =>
      `{ __schema { types { fields { type ${'{ ofType '.repeat(levels)} { name } ${'}'.repeat(levels)} } } } }`;
    expect(await refusalOf(types(11))).toBeUndefined();
    expect(await refusalOf(types(12))).toBe('The introspection is 17 levels deep; its bound on depth is 16.');
  });

  it('stop at depth 8, through fragments too, before the document is validated', async () => {
    const nested = (levels: number) => `{ ${'unknown { '.repeat(levels - 1)} unknown ${'}'.repeat(levels - 1)} }`;
    expect(await refusalOf(nested(9))).toBe('The operation is 9 levels deep; the bound on depth is 8.');
    expect((await service.ask(nested(8))).errors?.[0]?.message).toMatch(/Cannot query field/);
    const inFragments = '{ a { ...F } } fragment F on X { b { ...G } } fragment G on X { c { d { e { f { g { h { i } } } } } } }';
    expect(await refusalOf(inFragments)).toMatch(/9 levels deep/);
  });

  it('stop at 15 aliases, counted wherever a fragment is spread', async () => {
    const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, index) => `a${index}: petCounts { count }`).join(' ')} }`;
    expect(await refusalOf(aliases(15))).toBeUndefined();
    expect(await refusalOf(aliases(16))).toBe('The operation has 16 aliases; the bound is 15.');
    expect(
      await refusalOf(
        '{ pets { nodes { ...F } edges { node { ...F } } } } fragment F on Pet { a: id b: id c: id d: id e: id f: id g: id h: id }',
      ),
    ).toMatch(/16 aliases/);
  });

  it('stop at 1,000 tokens while the document is read', async () => {
    expect(await refusalOf(`{ petCounts { count } ${' petCounts { count }'.repeat(248)} }`)).toBeUndefined();
    expect(await refusalOf(`{ ${'x '.repeat(1_000)} `)).toMatch(/1000 tokens/);
  });

  it('stop at 500,000 comparisons of fields', async () => {
    const repeated = (count: number) => `{ petCounts { ${'count '.repeat(count)} } }`;
    expect(await refusalOf(repeated(707))).toBeUndefined();
    expect(await refusalOf(repeated(708))).toBe(
      'The document repeats its fields so often that they take more than 500000 comparisons; the bound on comparisons is 500000.',
    );
  });

  it('stop at 100 mistakes', async () => {
    const last = async (count: number) => (await service.ask(`{ ${'x '.repeat(count)} }`)).errors?.at(-1)?.message;
    expect(await last(100)).toMatch(/^Cannot query field "x"/);
    expect(await last(101)).toBe('The document has more than 100 mistakes; the bound on mistakes is 100.');
  });

  it('are named wherever the reading or validation of a document is broken off', async () => {
    const repeated = fc
      .tuple(
        fc.constantFrom('count', 'x', '...F', '... { count }', 'count @x', 'petCounts(a: 1) { count }', '...G'),
        fc.integer({ min: 1, max: 999 }),
      )
      .map(([part, count]) => `${part} `.repeat(count));
    const selection = fc.array(repeated, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
    const documents = fc.oneof(
      selection.map((fields) => `{ petCounts { ${fields} } }`),
      selection.map((fields) => `{ ${fields} }`),
      fc
        .tuple(selection, selection)
        .map(([one, other]) => `{ petCounts { ...F } } fragment F on PetCount { ${one} } fragment G on X { ${other} }`),
      fc.integer({ min: 1, max: 200 }).map((count) => `query(${Array.from({ length: count }, (_, at) => `$v${at}: ID`).join(' ')}) { a }`),
      fc.integer({ min: 1, max: 140 }).map((count) => Array.from({ length: count }, (_, at) => `query Q${at} { a ...F }`).join(' ')),
      fc.integer({ min: 1, max: 140 }).map((count) => `{ ${Array.from({ length: count }, (_, at) => `pet(id: ${at}) { id }`).join(' ')} }`),
    );
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        for (const { message, extensions } of (await service.ask(document)).errors ?? []) {
          expect(extensions.code).toMatch(/^invalid_/);
          if (/abort|too many|give up/i.test(message)) expect(message).toMatch(/\b1000 tokens\b/);
        }
      }),
      { numRuns: 60 },
    );
  });

  const twoHistories = (first: string) =>
    `{ pets(first: ${first}) { nodes { a: history(first: ${first}) { type data recordedAt } b: history(first: ${first}) { type data recordedAt } } } }`;

  it.each([
    ['a literal', twoHistories('100'), undefined],
    ['a variable', `query($n: Int) ${twoHistories('$n')}`, { n: 100 }],
    ['the default of a variable', `query($n: Int = 100) ${twoHistories('$n')}`, {}],
    [
      'fragments',
      `{ pets(first: 50) { nodes { ...F } edges { node { ...F } } } }
       fragment F on Pet { orders { nodes { history { position stream version type data } } } }`,
      undefined,
    ],
  ])('stop at a cost of 150,000, with first from %s', async (_from, query, variables) => {
    expect(await refusalOf(query, variables)).toMatch(
      /^The operation costs \d+; the bound on cost is 150000\. pets\.\S+ weighs most \(\d+\): lower `first` of /,
    );
  });

  const historiesOfOrders = (events: number) => `{
    pets(first: 100) { nodes {
      id name status history(first: 10) { type recordedAt data }
      orders(first: 10) { nodes { id status placedAt history(first: ${events}) { type recordedAt data } } }
    } }
  }`;

  it('let through a page of 100 animals with their history, ten orders each and the histories of these', async () => {
    expect(await refusalOf(historiesOfOrders(10))).toBeUndefined();
  });

  it('count the days of usage like a page', async () => {
    const usage = (days: number) => `{ apiKeys(first: 100) { nodes { dailyUsage(days: ${days}) { date requests refusals } } } }`;
    expect(await refusalOf(usage(180))).toBeUndefined();
    expect(await refusalOf(usage(400))).toMatch(
      /apiKeys\.nodes\.dailyUsage weighs most \(321000\): lower `first` of apiKeys or `days` of dailyUsage/,
    );
  });

  it('leave a fragment that contains itself to validation', async () => {
    expect(await refusalOf('{ pet(id: 1) { ...F } } fragment F on Pet { ...F }')).toMatch(/Cannot spread fragment "F" within itself/);
  });
});
