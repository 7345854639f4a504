import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const PAGE =
  'query Page($first: Int, $after: String) { pets(first: $first, after: $after) { nodes { name history { type version position stream data } } } }';

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
      expect(errors).toEqual([expect.objectContaining({ extensions: { code: 'invalid_parameter' } })]);
    }
    const tooMuch = { extensions: { code: 'invalid_request' }, message: expect.stringMatching(/the bound on cost is/) };
    expect((await page({ first: 100 })).errors).toEqual([tooMuch]);
  });
});
