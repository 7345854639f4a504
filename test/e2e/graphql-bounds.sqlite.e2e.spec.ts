import { getIntrospectionQuery } from 'graphql';
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

  it('allow the standard introspection', async () => {
    expect(await refusalOf(getIntrospectionQuery())).toBeUndefined();
  });

  it('stop at depth 8, through fragments too, before the document is validated', async () => {
    const nested = (levels: number) => `{ ${'unknown { '.repeat(levels - 1)} unknown ${'}'.repeat(levels - 1)} }`;
    expect(await refusalOf(nested(9))).toBe('The operation is 9 levels deep; the bound on depth is 8.');
    expect((await service.ask(nested(8))).errors?.[0]?.message).toMatch(/Cannot query field/);
  });

  it('stop at 15 aliases, counted wherever a fragment is spread', async () => {
    const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, index) => `a${index}: petCounts { count }`).join(' ')} }`;
    expect(await refusalOf(aliases(15))).toBeUndefined();
    expect(await refusalOf(aliases(16))).toBe('The operation has 16 aliases; the bound is 15.');
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

  const twoHistories = (first: string) =>
    `{ pets(first: ${first}) { nodes { a: history(first: ${first}) { type data recordedAt } b: history(first: ${first}) { type data recordedAt } } } }`;

  it.each([
    ['a literal', twoHistories('100'), undefined],
    ['a variable', `query($n: Int) ${twoHistories('$n')}`, { n: 100 }],
    ['the default of a variable', `query($n: Int = 100) ${twoHistories('$n')}`, {}],
  ])('stop at a cost of 150,000, with first from %s', async (_from, query, variables) => {
    expect(await refusalOf(query, variables)).toMatch(/^The operation costs \d+; the bound on cost is 150000: /);
  });

  it('count the days of usage like a page', async () => {
    const usage = (days: number) => `{ apiKeys(first: 100) { nodes { dailyUsage(days: ${days}) { date requests refusals } } } }`;
    expect(await refusalOf(usage(180))).toBeUndefined();
    expect(await refusalOf(usage(400))).toMatch(/^The operation costs \d+; the bound on cost is 150000: /);
  });
});
