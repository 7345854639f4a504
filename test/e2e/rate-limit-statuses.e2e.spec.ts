import { CommandBus } from '@nestjs/cqrs';
import { Database, raw } from '#libs/database';
import { BanApiKey } from '../../src/auth/index.js';
import { exchangeRaw, toldLimits } from './rate-limit.fixture.js';
import { API_KEY_SECRETS_TABLE, PETS_TABLE } from './read-model-tables.fixture.js';
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
    service = await startService({ environment: { ANONYMOUS_REQUESTS_PER_MINUTE: '50000', ANONYMOUS_REQUESTS_PER_DAY: '50000' } });
    await service.client.post(PETS, REX);
  });
  beforeEach(async () => (key = await service.issueKey({ plan: 'enterprise', perMinute: LIMIT, perDay: LIMIT })));
  afterAll(() => service.close());

  const send = ({ method = 'GET', target = PETS, ...options }: Sent, token: string | null = key.token) =>
    service.client.send(method, target, { key: token, ...options });
  const head = (line: string, headers: readonly string[] = []): string =>
    [line, 'Host: localhost', `Authorization: Bearer ${key.token}`, ...headers, '', ''].join('\r\n');
  const used = async (): Promise<number> => LIMIT - toldLimits(await send({})).remaining - 1;

  it.each<[number, string, Sent]>([
    [200, 'a list', {}],
    [200, 'a HEAD', { method: 'HEAD' }],
    [200, 'an animal', { target: `${PETS}/1` }],
    [201, 'a new animal', { method: 'POST', body: REX }],
    [204, 'an OPTIONS', { method: 'OPTIONS' }],
    [400, 'a wrong parameter', { target: `${PETS}?limit=0` }],
    [400, 'broken percent-encoding', { target: '/v1/%zz' }],
    [400, 'a malformed body', { method: 'POST', body: '{' }],
    [403, 'a scope the key lacks', { target: '/graphql' }],
    [404, 'an unknown path', { target: '/v1/nothing' }],
    [404, 'an unknown animal', { target: `${PETS}/999` }],
    [405, 'a wrong method', { method: 'DELETE' }],
    [406, 'a type that is not acceptable', { headers: { accept: 'text/html' } }],
    [413, 'a body that is too large', { method: 'POST', body: JSON.stringify({ ...REX, name: 'x'.repeat(70_000) }) }],
    [414, 'a target that is too long', { target: `${PETS}?cursor=${'x'.repeat(8_300)}` }],
    [415, 'a body that is not JSON', { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } }],
    [417, 'an unknown expectation', { headers: { expect: 'a miracle' } }],
  ])('are there on %d for %s, and the request counts once', async (status, _name, sent) => {
    const answer = await send(sent);
    expect(answer.status).toBe(status);
    expect(toldLimits(answer)).toMatchObject({ limit: LIMIT, remaining: LIMIT - 1 });
    expect(await used()).toBe(1);
  });

  it('are there on 304', async () => {
    const etag = (await send({})).headers.etag ?? '';
    const answer = await send({ headers: { 'if-none-match': etag } });
    expect([answer.status, toldLimits(answer).remaining]).toEqual([304, LIMIT - 2]);
  });

  it('are there on 401, and count for the address', async () => {
    const [before, after] = [await send({}, null), await send({}, 'wrong')].map(toldLimits);
    expect(before?.limit).toBe(50_000);
    expect(after?.remaining).toBe((before?.remaining ?? 0) - 1);
    expect(await used()).toBe(0);
  });

  it('are there on 409 and 422', async () => {
    const post = (body: object) => send({ method: 'POST', body, headers: { 'idempotency-key': 'once' } });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    // While another transaction is open, the first request has to wait.
    const held = service.app.get(Database).write(() => released);
    const first = post(REX);
    const running = await Promise.race([post(REX), post(REX)]);
    expect([running.status, toldLimits(running).limit]).toEqual([409, LIMIT]);
    release();
    await held;
    expect((await first).status).toBe(201);
    const reused = await post({ ...REX, name: 'Max' });
    expect([reused.status, toldLimits(reused).remaining]).toEqual([422, LIMIT - 4]);
  });

  it('are there on 429 of both kinds', async () => {
    const small = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 10 });
    await send({}, small.token);
    expect((await send({}, small.token)).json()).toMatchObject({ code: 'rate_limited' });
    const until = new Date(service.clock.now().getTime() + 60_000);
    await service.app.get(CommandBus).execute(new BanApiKey({ id: key.id, until, step: 1, unbans: 0, metadata: { actor: 'system' } }));
    const banned = await send({});
    expect([banned.status, banned.json()['code']]).toEqual([429, 'key_banned']);
    expect(banned.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-limit': `${LIMIT}`, 'x-ratelimit-remaining': '0' });
    expect(banned.headers['ratelimit']).toMatch(new RegExp(`^"ban";r=0;t=60, "minute";r=${LIMIT};t=\\d+, "day";r=[1-9]\\d*;t=\\d+$`));
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const inGraphql = await service.client.send('POST', '/graphql', { key: key.token, headers, body: '{"query":"{ __typename }"}' });
    expect([inGraphql.status, inGraphql.headers['ratelimit']]).toEqual([429, banned.headers['ratelimit']]);
  });

  it('are there on 410', async () => {
    const now = service.clock.now();
    service.clock.set('2030-12-05T00:00:00.000Z');
    const answer = await send({ target: `${PETS}/1` });
    service.clock.set(now);
    expect([answer.status, toldLimits(answer).remaining]).toEqual([410, LIMIT - 1]);
  });

  it.each([
    ['431 for a head that is too large', `GET ${PETS} HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['400 for garbage', 'garbage\r\n\r\n', 400],
    ['405 for CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 405],
  ])('are there on %s, which counts once for the address', async (_name, bytes, status) => {
    const before = toldLimits(await send({}, null));
    const [answer] = await exchangeRaw(service.origin, bytes, { end: false });
    expect(answer?.status).toBe(status);
    expect(answer && toldLimits(answer)).toMatchObject({ limit: 50_000, remaining: before.remaining - 1 });
    expect(toldLimits(await send({}, null)).remaining).toBe(before.remaining - 2);
  });

  it.each([
    ['without a Host', `GET ${PETS} HTTP/1.1\r\nAuthorization: Bearer KEY\r\nConnection: close\r\n\r\n`],
    ['with a repeated Host', `GET ${PETS} HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: Bearer KEY\r\nConnection: close\r\n\r\n`],
  ])('are those of the key on 400 for a request %s', async (_name, text) => {
    const [answer] = await exchangeRaw(service.origin, text.replace('KEY', key.token), { end: false });
    expect([answer?.status, answer && toldLimits(answer).remaining]).toEqual([400, LIMIT - 1]);
    expect(await used()).toBe(1);
  });

  it('are those of the key on 431 for a head that could be read', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => `X-${index}: 12345`);
    const [answer] = await exchangeRaw(service.origin, head(`GET ${PETS} HTTP/1.1`, ['Connection: close', ...many]), { end: false });
    expect([answer?.status, answer && toldLimits(answer).remaining]).toEqual([431, LIMIT - 1]);
    expect(await used()).toBe(1);
  });

  it('are those of the key when the body turns out broken, and the request counts once', async () => {
    const request = head(`POST ${PETS} HTTP/1.1`, ['Content-Type: application/json', 'Transfer-Encoding: chunked']);
    const [answer] = await exchangeRaw(service.origin, `${request}5\r\n{"nam\r\nnonsense\r\n`, { end: false });
    expect([answer?.status, answer && toldLimits(answer).remaining]).toEqual([400, LIMIT - 1]);
    expect(await used()).toBe(1);
  });

  it('are those of the key when the body never arrives, and the request counts once', async () => {
    const request = head(`POST ${PETS} HTTP/1.1`, ['Content-Type: application/json', 'Content-Length: 20']);
    const [answer] = await exchangeRaw(service.origin, `${request}{"name"`, { end: false });
    expect([answer?.status, answer && toldLimits(answer).remaining]).toEqual([408, LIMIT - 1]);
    expect(await used()).toBe(1);
  });
});

describe('the rate-limit headers while the database fails', () => {
  let service: Service;
  beforeEach(async () => (service = await startService()));
  afterEach(() => service.close());

  const execute = (statement: string) => service.app.get(Database).write((transaction) => transaction.query(raw(statement)));

  it('are there on 500', async () => {
    await execute(`ALTER TABLE "${PETS_TABLE}" RENAME TO "elsewhere"`);
    const answer = await service.client.get(PETS);
    expect([answer.status, toldLimits(answer).limit]).toEqual([500, 1_000_000]);
    await execute(`ALTER TABLE "elsewhere" RENAME TO "${PETS_TABLE}"`);
  });

  it('are those of the address, uncounted, where it cannot be told whose key it is', async () => {
    const { token } = await service.issueKey();
    await execute(`ALTER TABLE "${API_KEY_SECRETS_TABLE}" RENAME TO "elsewhere"`);
    const answers = [await service.client.get(PETS, { key: token }), await service.client.get(PETS, { key: token })];
    expect(answers.map(({ status }) => status)).toEqual([500, 500]);
    expect(answers.map((answer) => toldLimits(answer))).toMatchObject([{ remaining: 1_000_000 }, { remaining: 1_000_000 }]);
    await execute(`ALTER TABLE "elsewhere" RENAME TO "${API_KEY_SECRETS_TABLE}"`);
  });
});
