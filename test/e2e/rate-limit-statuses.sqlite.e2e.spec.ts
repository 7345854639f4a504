import { KeyDecisions } from '../../src/auth/index.js';
import { exchangeRaw, toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7 };
const LIMIT = 100_000;

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

describe('the rate-limit headers of an answer', () => {
  let service: Service;
  let key: { id: bigint; token: string };
  beforeAll(async () => {
    const environment = { CREATE_BURST_PER_SECOND: '3', ANONYMOUS_REQUESTS_PER_MINUTE: '50000' };
    service = await startService({ environment: { ...environment, ANONYMOUS_REQUESTS_PER_DAY: '50000' } });
    await service.client.post(PETS, REX);
  });
  beforeEach(async () => (key = await service.issueKey({ plan: 'enterprise', perMinute: LIMIT, perDay: LIMIT })));
  afterAll(() => service.close());

  const send = ({ method = 'GET', target = PETS, ...options }: Sent, token: string | null = key.token) =>
    service.client.send(method, target, { key: token, ...options });
  const used = async (): Promise<number> => LIMIT - toldLimits(await send({})).remaining - 1;
  it.each<[number, string, Sent]>([
    [200, 'a list', {}],
    [201, 'a new animal', { method: 'POST', body: REX }],
    [400, 'broken percent-encoding', { target: '/v1/%zz' }],
    [400, 'a malformed body', { method: 'POST', body: '{' }],
    [404, 'an unknown path', { target: '/v1/nothing' }],
    [414, 'a target that is too long', { target: `${PETS}?cursor=${'x'.repeat(8_300)}` }],
    [417, 'an unknown expectation', { headers: { expect: 'a miracle' } }],
  ])('are there on %d for %s, and the request counts once', async (status, _name, sent) => {
    const answer = await send(sent);
    expect(answer.status).toBe(status);
    expect(toldLimits(answer)).toMatchObject({ limit: LIMIT, remaining: LIMIT - 1 });
    expect(await used()).toBe(1);
  });

  it('are there on 401, and count for the address', async () => {
    const [before, after] = [await send({}, null), await send({}, 'wrong')].map(toldLimits);
    expect(before?.limit).toBe(50_000);
    expect(after?.remaining).toBe((before?.remaining ?? 0) - 1);
    expect(await used()).toBe(0);
  });

  it('are there on 429, which comes before every other refusal, also of a banned key in GraphQL', async () => {
    const small = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 10 });
    await send({}, small.token);
    for (const sent of [{}, { method: 'POST', target: '/graphql', body: '{' }, { method: 'PATCH', target: '/v1/nothing' }]) {
      const refused = await send({ ...sent, headers: { accept: 'text/html' } }, small.token);
      expect(refused.json()).toEqual({ code: 'rate_limited', status: 429, message: expect.stringContaining('1 requests a minute') });
      expect(toldLimits(refused)).toMatchObject({ limit: 1, remaining: 0 });
    }
    const until = new Date(service.clock.now().getTime() + 60_000);
    const ban = { type: 'record-ban', until, step: 1, unbans: 0 } as const;
    await service.app.get(KeyDecisions).append(key.id, ban, { metadata: { actor: 'system' } });
    const banned = await send({});
    expect([banned.status, banned.json()['code']]).toEqual([429, 'key_banned']);
    expect(banned.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-limit': `${LIMIT}`, 'x-ratelimit-remaining': '0' });
    expect(banned.headers['ratelimit']).toMatch(new RegExp(`^"ban";r=0;t=60, "minute";r=${LIMIT};t=\\d+, "day";r=[1-9]\\d*;t=\\d+$`));
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const inGraphql = await send({ method: 'POST', target: '/graphql', headers, body: '{"query":"{ __typename }"}' });
    expect([inGraphql.status, inGraphql.headers['ratelimit']]).toEqual([429, banned.headers['ratelimit']]);
  });

  it('are there on 429 for more animals in a second than CREATE_BURST_PER_SECOND, which limits each key by itself and nothing else', async () => {
    const add = (token = key.token) => send({ method: 'POST', body: REX }, token);
    const answers = await Promise.all(Array.from({ length: 5 }, () => add()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.json()).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('limit of 3 of these requests in 1 s'),
    });
    expect(refused?.headers['retry-after']).toBe('1');
    expect(refused && toldLimits(refused).limit).toBe(LIMIT);
    expect([(await add((await service.issueKey()).token)).status, (await send({})).status]).toEqual([201, 200]);
    service.clock.advance(1_000);
    expect((await add()).status).toBe(201);
  });

  const JSON_BODY = 'Content-Type: application/json';
  it.each([
    ['400 without a Host', `GET ${PETS}`, ['Connection: close'], '', 400],
    ['400 for a broken body', `POST ${PETS}`, ['Host: a', JSON_BODY, 'Transfer-Encoding: chunked'], '5\r\n{"nam\r\nnonsense\r\n', 400],
  ] as const)('are those of the key on %s, and the request counts once', async (_name, line, headers, body, status) => {
    const bytes = [`${line} HTTP/1.1`, `Authorization: Bearer ${key.token}`, ...headers, '', body].join('\r\n');
    const [answer] = await exchangeRaw(service.origin, bytes, { end: false });
    expect([answer?.status, answer && toldLimits(answer).remaining]).toEqual([status, LIMIT - 1]);
    expect(await used()).toBe(1);
  });
});
