import { jest } from '@jest/globals';
import { QueryBus } from '@nestjs/cqrs';
import { ListPets } from '../../src/pets/queries/pets.query.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const NAMES = '{ pets { nodes { name } } }';

const PAGE =
  'query Page($first: Int, $after: String) { pets(first: $first, after: $after) { nodes { name orders { nodes { history { type version position stream data } } } } } }';

describe('results of the query schema', () => {
  let service: GraphqlService;
  let pagesRead: () => number;

  beforeEach(async () => {
    service = await startGraphqlService();
    const queries = jest.spyOn(service.app.get(QueryBus), 'execute');
    pagesRead = () => queries.mock.calls.filter(([query]) => query instanceof ListPets).length;
    await service.addPet('Rex');
  });
  afterEach(() => service.close());

  const names = async (query = NAMES): Promise<string[]> => {
    const { data } = await service.ask<{ pets: { nodes: readonly { name: string }[] } }>(query);
    return data?.pets.nodes.map(({ name }) => name) ?? [];
  };

  it('are cached from the second time on, and are those of now after a change', async () => {
    for (let times = 0; times < 4; times += 1) expect(await names()).toEqual(['Rex']);
    expect(pagesRead()).toBe(2);
    await service.addPet('Tom');
    for (let times = 0; times < 3; times += 1) expect(await names()).toEqual(['Rex', 'Tom']);
    expect(pagesRead()).toBe(3);
  });

  it('belong to all that was asked for: document, variables, operation, method and media type', async () => {
    const body = (first: number, operationName: string) =>
      JSON.stringify({
        query: 'query A($first: Int) { pets(first: $first) { nodes { name } } } query B { pets { nodes { id } } }',
        variables: { first },
        operationName,
      });
    await service.addPet('Tom');
    for (let times = 0; times < 3; times += 1) {
      const [one, two, other] = await Promise.all(
        [body(1, 'A'), body(2, 'A'), body(1, 'B')].map((each) => service.client.post('/graphql', each, { key: service.token })),
      );
      expect(one?.json()).toEqual({ data: { pets: { nodes: [{ name: 'Rex' }] } } });
      expect(two?.json()).toEqual({ data: { pets: { nodes: [{ name: 'Rex' }, { name: 'Tom' }] } } });
      expect(other?.json()).toEqual({ data: { pets: { nodes: [{ id: '1' }, { id: '2' }] } } });
      const accept = 'application/graphql-response+json';
      const typed = await service.client.post('/graphql', body(1, 'A'), { key: service.token, headers: { accept } });
      expect(typed.headers['content-type']).toContain(accept);
      expect(one?.headers['content-type']).toContain('application/json');
    }
  });

  it('are not those of null where a number is beyond every double', async () => {
    const send = (first: string) =>
      service.client.post(
        '/graphql',
        `{"query":"query($first: Int) { pets(first: $first) { totalCount } }","variables":{"first":${first}}}`,
        {
          key: service.token,
        },
      );
    for (let times = 0; times < 3; times += 1) expect((await send('null')).json()).toEqual({ data: { pets: { totalCount: 1 } } });
    expect((await send('1e400')).text).toContain('invalid_parameter');
  });

  it('are not cached with what another read model or the moment decides, nor with errors', async () => {
    for (let times = 0; times < 3; times += 1) await service.ask('{ pets { nodes { name } } apiKeys { nodes { lastUsedAt } } }');
    expect(pagesRead()).toBe(3);
    for (let times = 0; times < 3; times += 1) {
      const { errors } = await service.ask('{ pets(first: 1) { nodes { name } } pet(id: "x") { id } }');
      expect(errors).toHaveLength(1);
    }
    expect(pagesRead()).toBe(6);
  });
});

describe('an operation that has run before', () => {
  let service: GraphqlService;

  beforeAll(async () => {
    service = await startGraphqlService();
    await service.addPet('Rex');
    await service.addPet('Tom');
  });
  afterAll(() => service.close());

  const page = async (variables: object) => {
    const answer = await service.client.post('/graphql', JSON.stringify({ query: PAGE, variables }), { key: service.token });
    return answer.json<{ readonly data?: unknown; readonly errors?: readonly object[] }>();
  };

  it('gives with other variables what it gives at first', async () => {
    const [first, second] = [await page({ first: 2 }), await page({ first: 3 })];
    expect(first).toMatchObject({ data: { pets: { nodes: [{ name: 'Rex' }, { name: 'Tom' }] } } });
    expect(second).toEqual(first);
  });

  it('is refused by the same errors, whatever its variables got wrong', async () => {
    await page({ first: 1 });
    const [uncoercible, outOfRange, wrongCursor] = [
      await page({ first: 'one' }).then(({ errors }) => errors),
      await page({ first: 0 }).then(({ errors }) => errors),
      await page({ first: 1, after: 'x' }).then(({ errors }) => errors),
    ];
    for (const errors of [uncoercible, outOfRange, wrongCursor]) {
      expect(errors).toMatchObject([{ extensions: { code: 'invalid_parameter' } }]);
    }
    const tooMuch = { extensions: { code: 'invalid_request' }, message: expect.stringMatching(/the bound on cost is/) };
    expect((await page({ first: 100 })).errors).toEqual([tooMuch]);
  });
});
