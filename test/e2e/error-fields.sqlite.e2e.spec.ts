import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import type { RequestOptions } from './api-client.fixture.js';
import { UNLIMITED } from './service.fixture.js';

const ANIMAL = { name: 'Rex', categoryId: 7 };
type Refusal = readonly [field: string, rule: string, message: string];

describe('what is wrong with a request', () => {
  let service: GraphqlService;
  let key: string;
  beforeAll(async () => {
    service = await startGraphqlService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'events', 'webhooks', 'keys:manage'] })).token;
    await service.addPet('Rex', {});
  });
  afterAll(() => service.close());

  const send = async (request: string, options: RequestOptions = {}) => {
    const [method = '', target = ''] = request.split(' ');
    return service.client.send(method, target, { key, ...options });
  };

  it.each<[string, RequestOptions, readonly Refusal[]]>([
    ['POST /v1/pets', { body: { name: 'Rex' } }, [['categoryId', 'required', 'categoryId is missing: it must be an integer']]],
    [
      'POST /v1/pets',
      { body: { name: '', category_id: 7, status: 'sleeping' } },
      [
        ['name', 'text', 'name must be a string'],
        ['categoryId', 'required', 'categoryId is missing'],
        ['status', 'in', 'status must be'],
        ['category_id', 'unknown', 'did you mean categoryId?'],
      ],
    ],
    ['POST /v1/pets', { body: { ...ANIMAL, colour: 'red' } }, [['colour', 'unknown', 'which takes name, categoryId, status']]],
    ['POST /v1/pets', { body: { ...ANIMAL, name: 'a\u0000' } }, [['name', 'characters', 'U+0000']]],
    ['POST /v1/pets', { body: ANIMAL, headers: { 'idempotency-key': '' } }, [['Idempotency-Key', 'idempotencyKey', '1 to 255']]],
    [
      'GET /v1/pets?limit=0&stauts=sold&name=a&name=b',
      {},
      [
        ['limit', 'pageSize', 'limit must be'],
        ['stauts', 'unknown', 'did you mean status?'],
        ['name', 'repeated', 'give it once'],
      ],
    ],
    ['GET /v1/pets?cursor=x', {}, [['cursor', 'cursor', 'cursor is not valid']]],
    ['GET /v1/pets/seven', {}, [['petId', 'int64', 'petId must be an integer']]],
    ['PATCH /v1/pets/1', { body: { name: 'Max' }, headers: { 'if-match': 'abc' } }, [['If-Match', 'entityTag', 'with its quotes']]],
    ['GET /v1/pets', { headers: { 'if-match': 'W/abc' } }, [['If-Match', 'entityTag', 'with its quotes']]],
    ['GET /v1/events?type=pet.lost', {}, [['type', 'in', '"pet.lost" is none']]],
    ['POST /v1/keys', { body: { name: 'a', scopes: ['fly'] } }, [['scopes', 'in', 'scopes must be among']]],
    [
      'POST /v1/webhooks',
      { body: { url: 'http://localhost:1', types: ['pet.lost'] } },
      [
        ['url', 'endpoint', 'WEBHOOK_ALLOW_LOOPBACK=true'],
        ['types', 'in', 'types must be among'],
      ],
    ],
  ])('is told for each value: %s %j', async (request, options, expected) => {
    const answer = await send(request, options);
    const { message, errors } = answer.json<{ message: string; errors: readonly { message: string }[] }>();
    expect(answer.status).toBe(400);
    expect(errors).toEqual(expected.map(([field, rule, part]) => ({ field, rule, message: expect.stringContaining(part) as string })));
    expect(message.replace(/\.$/, '')).toBe(errors.map((error) => error.message).join('; '));
  });

  it('is told of a hundred values at most', async () => {
    const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`unknown${index}`, 1]));
    const { message, errors } = (await send('POST /v1/pets', { body })).json<{ message: string; errors: readonly object[] }>();
    expect(errors).toHaveLength(100);
    expect(message).toMatch(/; and 902 more\.$/);
  });

  it('is told for each value by the query schema', async () => {
    const { errors } = await service.ask('{ pets(filter: { nameContains: "a" }, first: 5) { nodes { id } } }');
    expect(errors).toMatchObject([
      { extensions: { code: 'invalid_parameter', errors: [{ field: 'filter.nameContains', rule: 'partOfText' }] } },
    ]);
  });

  it('is not told of a single value where there is none', async () => {
    expect(Object.keys((await send('GET /v1/pets/99')).json<object>())).toEqual(['code', 'message', 'status']);
  });

  it.each([
    ['/v1/pets/', '/v1/pets'],
    ['/v1/pet', '/v1/pets'],
    ['/pets', '/v1/pets'],
    ['/pets/7/', '/v1/pets/{petId}'],
    ['/v1/event', '/v1/events'],
    ['/v1/store/order', '/v1/store/orders'],
  ])('names the nearest path for %s: %s', async (path, near) => {
    expect((await send(`GET ${path}`)).json()).toMatchObject({
      status: 404,
      message: `There is nothing at this path; did you mean ${near}?`,
    });
  });

  it.each([
    ['another word', '/v1/something-else'],
    ['a very long path', `/v1/pet${'s'.repeat(1_000)}`],
    ['a path outside of the API', '/favicon.png'],
  ])('names no path for %s', async (_what, path) => {
    expect((await send(`GET ${path}`)).json()).toMatchObject({ status: 404, message: 'There is nothing at this path.' });
  });

  it.each(['api_key', 'apiKey', 'access_token'])('names the parameter %s in which a key was sent', async (name) => {
    const answer = await send(`GET /v1/pets?${name}=${key}`, { key: null });
    expect(answer.json()).toMatchObject({
      status: 401,
      message: expect.stringContaining(`The query parameter ${name} is not read`) as string,
    });
    expect(answer.text).not.toContain(key);
  });

  it.each(['minute', 'day'] as const)('names the limit of a %s', async (period) => {
    const limits = { perMinute: 1_000, perDay: 1_000, [period === 'day' ? 'perDay' : 'perMinute']: 1 };
    const { token } = await service.issueKey({ plan: 'enterprise', ...limits });
    await service.client.get('/v1/pets', { key: token });
    const answer = await service.client.get('/v1/pets', { key: token });
    expect(answer.json()).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining(`1 requests a ${period} is used up`) as string,
    });
  });
});
