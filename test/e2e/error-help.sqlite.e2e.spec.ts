import { explainErrors } from '#libs/observability';
import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { composition } from '../../src/bootstrap/composition.js';
import type { Answer, RequestOptions } from './api-client.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { expectDocumented } from './openapi-contract.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

type Headers = Answer['headers'] | Readonly<Record<string, string>>;

const PAGE = '/docs/errors';
const HOST = 'Host: shop\r\n';
const PET = { name: 'Rex', categoryId: 1, status: 'available' };

/** What the links of an answer with a relation lead to. */
function targetsOf({ link = '' }: Headers, relation: string): string[] {
  return [...String(link).matchAll(/<([^>]*)>; rel="([^"]+)"/g)].flatMap(([, target = '', rel]) => (rel === relation ? [target] : []));
}

/** The ids of the elements of the page. */
async function anchorsOf({ client }: Service): Promise<string[]> {
  const { text } = await client.get(PAGE, { key: null });
  return [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
}

describe('the help of an error', () => {
  let service: GraphqlService;
  let anchors: readonly string[];
  let revoked: string;
  let orders: string;

  beforeAll(async () => {
    service = await startGraphqlService();
    anchors = await anchorsOf(service);
    revoked = `adopt_dev_${'0'.repeat(43)}_000000`;
    orders = (await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'orders:all', 'webhooks', 'events'] })).token;
    await service.addPet('Rex', { status: 'available' });
    await service.addPet('Anna', { status: 'sold' });
  });
  afterAll(() => service.close());

  const expectHelp = (headers: Headers, body: string, code: string, status: number) => {
    expect(JSON.parse(body)).toMatchObject({ code, message: expect.any(String), status });
    expect(targetsOf(headers, 'help')).toEqual([`${PAGE}#${code}`]);
    expect(anchors.filter((id) => id === code)).toEqual([code]);
  };

  it.each<[string, string, number, string, string, RequestOptions]>([
    ['no key', 'unauthorized', 401, 'GET', '/v1/pets', { key: null }],
    ['no bearer token', 'unauthorized', 401, 'GET', '/v1/pets', { key: null, headers: { authorization: 'Basic eA==' } }],
    ['a key that is not valid', 'unauthorized', 401, 'GET', '/v1/pets', { key: 'REVOKED' }],
    ['a key of other scopes', 'insufficient_scope', 403, 'GET', '/v1/store/orders', {}],
    ['a path that is not there', 'not_found', 404, 'GET', '/v1/nothing', {}],
    ['a path that is not there, outside of the API', 'not_found', 404, 'GET', '/nothing', { key: null }],
    ['an animal that is not there', 'not_found', 404, 'GET', '/v1/pets/99', {}],
    ['a value that is not right', 'invalid_parameter', 400, 'GET', '/v1/pets?limit=0', {}],
    ['a target that is malformed', 'invalid_request', 400, 'GET', '/v1/pets/%zz', {}],
    ['a body that is not right', 'invalid_request', 400, 'POST', '/v1/pets', { body: {} }],
    ['malformed JSON', 'invalid_request', 400, 'POST', '/v1/pets', { body: '{' }],
    ['another method', 'method_not_allowed', 405, 'PUT', '/v1/pets', {}],
    ['another form', 'not_acceptable', 406, 'GET', '/v1/pets', { headers: { accept: 'text/html' } }],
    ['a state that does not allow it', 'pet_not_available', 409, 'POST', '/v1/store/orders', { key: 'ORDERS', body: { petId: 2 } }],
    ['a page that has changed', 'precondition_failed', 412, 'GET', '/v1/pets?limit=1', { headers: { 'if-match': '"x"' } }],
    [
      'a change of what has changed',
      'precondition_failed',
      412,
      'PATCH',
      '/v1/pets/1',
      { key: 'ORDERS', body: {}, headers: { 'if-match': '"x"' } },
    ],
    ['a large body', 'payload_too_large', 413, 'POST', '/v1/pets', { body: ' '.repeat(70_000) }],
    ['a long target', 'uri_too_long', 414, 'GET', `/v1/pets?x=${'x'.repeat(8_192)}`, {}],
    ['another content type', 'unsupported_media_type', 415, 'POST', '/v1/pets', { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['no key for GraphQL', 'unauthorized', 401, 'POST', '/graphql', { key: null, body: { query: '{ a }' } }],
    ['a key of other scopes for GraphQL', 'insufficient_scope', 403, 'POST', '/graphql', { body: { query: '{ a }' } }],
    ['another content type for GraphQL', 'unsupported_media_type', 415, 'POST', '/graphql', { key: 'TOOLS' }],
    ['a body that GraphQL does not have', 'invalid_request', 400, 'POST', '/graphql', { key: 'TOOLS', body: [] }],
  ])('is linked to once: %s', async (_name, code, status, method, target, { key, ...options }) => {
    const keys: Readonly<Record<string, string>> = { REVOKED: revoked, ORDERS: orders, TOOLS: service.token };
    const answer = await service.client.send(method, target, {
      ...options,
      ...(key !== undefined && { key: key === null ? null : (keys[key] ?? key) }),
    });
    expect(answer.status).toBe(status);
    expectHelp(answer.headers, answer.text, code, status);
  });

  it.each([
    ['garbage', 'nonsense\r\n\r\n', 'invalid_request', 400],
    ['a body that breaks off', `POST /v1/pets HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`, 'unauthorized', 401],
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\n\r\n', 'method_not_allowed', 405],
    ['an unknown expectation', `GET /docs HTTP/1.1\r\n${HOST}Expect: tea\r\n\r\n`, 'expectation_failed', 417],
    ['a large head', `GET /v1/pets HTTP/1.1\r\n${HOST}X-Filler: ${'x'.repeat(17_000)}\r\n\r\n`, 'headers_too_large', 431],
    ['another coding', `POST /v1/pets HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n`, 'not_implemented', 501],
    ['another version', `GET /v1/pets HTTP/2.0\r\n${HOST}\r\n`, 'http_version_not_supported', 505],
  ])('is linked to once on a raw answer: %s', async (_name, text, code, status) => {
    const connection = new RawConnection(Number(new URL(service.origin).port));
    connection.send(text);
    const answer = await connection.answer();
    connection.destroy();
    const [method = '', target = ''] = text.split(' ');
    expectDocumented(method, target, { ...answer, text: answer.body });
    expectHelp(answer.headers, answer.body, code, status);
  });

  it('says of no two codes the same', () => {
    const told = explainErrors(composition().errors);
    for (const part of ['meaning', 'remedy'] as const) expect(new Set(told.map((each) => each[part])).size).toBe(told.length);
  });

  it('stands beside the links that the answer has anyway', async () => {
    const unknown = await service.client.get('/v1/pets/99');
    expect(targetsOf(unknown.headers, 'successor-version')).toEqual(['/v1/pets?ids=99']);
    expect(targetsOf(unknown.headers, 'help')).toEqual([`${PAGE}#not_found`]);
    const changed = await service.client.get('/v1/pets?limit=1', { headers: { 'if-match': '"x"' } });
    expect(targetsOf(changed.headers, 'next')).toHaveLength(1);
    expect(targetsOf(changed.headers, 'help')).toEqual([`${PAGE}#precondition_failed`]);
  });

  it('is linked to by HEAD as by GET', async () => {
    const [get, head] = [await service.client.get('/v1/pets/99'), await service.client.send('HEAD', '/v1/pets/99')];
    expect([head.status, head.text, head.headers.link]).toEqual([404, '', get.headers.link]);
  });

  it('is linked to where a key of idempotency comes with other values', async () => {
    const headers = { 'idempotency-key': 'one' };
    await service.client.post('/v1/pets', PET, { headers });
    const { headers: answered, text } = await service.client.post('/v1/pets', { ...PET, name: 'Ada' }, { headers });
    expectHelp(answered, text, 'idempotency_key_reused', 422);
  });

  it('is linked to where a limit is used up, a key banned, and a request shed', async () => {
    const { token } = await service.issueKey({ ...UNLIMITED, perMinute: 1 });
    const codes = new Set<string>();
    for (let sent = 0; sent < 200 && codes.size < 2; sent += 1) {
      const answer = await service.client.get('/v1/pets', { key: token });
      if (answer.status === 200) continue;
      const { code } = answer.json<{ code: string }>();
      expectHelp(answer.headers, answer.text, code, 429);
      // Refusals count for a ban only once a client had time to notice the first one.
      if (codes.size === 0) service.clock.advance(2_000);
      codes.add(code);
    }
    expect([...codes]).toEqual(['rate_limited', 'key_banned']);

    const shedding = await startService({ mostInProgress: 0 });
    const shed = await shedding.client.get('/v1/pets');
    await shedding.close();
    expectHelp(shed.headers, shed.text, 'service_unavailable', 503);
  });

  it('is linked to where an operation was removed', async () => {
    const later = await startService();
    later.clock.set(new Date('2031-01-01T00:00:00Z'));
    const gone = await later.client.get('/v1/pets/1');
    await later.close();
    expectHelp(gone.headers, gone.text, 'gone', 410);
    expect(targetsOf(gone.headers, 'successor-version')).toEqual(['/v1/pets?ids=1']);
  });

  it('is not linked to where there is no error', async () => {
    const page = await service.client.get('/v1/pets?limit=1');
    const unchanged = await service.client.get('/v1/pets?limit=1', { headers: { 'if-none-match': String(page.headers.etag) } });
    const answers = [
      page,
      unchanged,
      await service.client.get('/v1/pets/1'),
      await service.client.send('OPTIONS', '/v1/pets'),
      await service.client.post('/v1/pets', PET),
      await service.client.get('/health/ready', { key: null }),
      await service.client.get(PAGE, { key: null }),
    ];
    expect(answers.map(({ status, headers }) => [status, targetsOf(headers, 'help')])).toEqual(
      [200, 304, 200, 204, 201, 200, 200].map((status) => [status, []]),
    );
  });
});
