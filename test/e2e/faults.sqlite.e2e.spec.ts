import { getIntrospectionQuery } from 'graphql';
import { jest } from '@jest/globals';
import { Database } from '#libs/database';
import { SettableClock } from '#libs/testing';
import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import type { Answer, RequestOptions } from './api-client.fixture.js';
import { codesOf, startGraphqlService, type GraphqlAnswer, type GraphqlService } from './graphql.fixture.js';
import { UNLIMITED } from './service.fixture.js';

const PAGE = '/docs/errors';
const HOST = 'Host: shop\r\n';
const PET = { name: 'Rex', categoryId: 7 };
const COUNTS = '{ petCounts { count } }';
const FUTURE = '2026-06-02T12:00:00.000Z';

/** A request with the key of the client; `ALL` and `TOOLS` stand for the keys with these scopes. */
type Fault = readonly [request: string, status: number, code: string, options?: RequestOptions, fields?: readonly string[]];

/** What the links of an answer with a relation lead to. */
function targetsOf({ link = '' }: Answer['headers'] | Readonly<Record<string, string>>, relation: string): string[] {
  return [...String(link).matchAll(/<([^>]*)>; rel="([^"]+)"/g)].flatMap(([, target = '', rel]) => (rel === relation ? [target] : []));
}

describe('faults', () => {
  /** What one operation refuses as any other does is in the contract of the document. */
  describe('a request that is refused', () => {
    let service: GraphqlService;
    let anchors: readonly string[];
    const keys: Record<string, string> = {};
    beforeAll(async () => {
      service = await startGraphqlService();
      const scopes = ['pets', 'pets:write', 'orders:all', 'events', 'webhooks', 'keys:manage'];
      Object.assign(keys, { ALL: (await service.issueKey({ ...UNLIMITED, scopes })).token, TOOLS: service.token });
      await service.addPet('Rex', { status: 'available' });
      await service.addPet('Anna', { status: 'sold' });
      const { text } = await service.client.get(PAGE, { key: null });
      anchors = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
    });
    afterAll(() => service.close());

    const send = (request: string, { key, ...options }: RequestOptions = {}) => {
      const [method = '', target = ''] = request.split(' ');
      const used = key === undefined || key === null ? key : (keys[key] ?? key);
      return service.client.send(method, target, { ...options, ...(used !== undefined && { key: used }) });
    };
    /** The body and headers that every error has, and a link to its one explanation. */
    const expectFault = (answer: Pick<Answer, 'headers' | 'text'>, code: string, status: number, fields?: readonly string[]) => {
      const { errors, ...body } = JSON.parse(answer.text) as { errors?: readonly { field: string; message: string }[]; message: string };
      expect(body).toEqual({ code, message: expect.any(String), status });
      if (fields) expect(errors?.map(({ field }) => field)).toEqual(fields);
      if (errors) expect(body.message.replace(/\.$/, '')).toBe(errors.map(({ message }) => message).join('; '));
      expect(answer.headers).toMatchObject({
        'content-type': expect.stringMatching(/^application\/json/),
        'x-request-id': expect.any(String),
        'x-content-type-options': 'nosniff',
        'cache-control': 'private, no-cache',
      });
      expect(targetsOf(answer.headers, 'help')).toEqual([`${PAGE}#${code}`]);
      expect(anchors.filter((id) => id === code)).toEqual([code]);
    };

    const FAULTS: readonly Fault[] = [
      ['GET /v1/pets', 401, 'unauthorized', { key: null, headers: { authorization: 'Basic eA==' } }],
      ['GET /v1/store/orders', 403, 'insufficient_scope'],
      ['GET /nothing', 404, 'not_found', { key: null }],
      ['GET /v1/pets/-9223372036854775808', 404, 'not_found'],
      ['POST /v1/store/orders', 409, 'pet_not_available', { key: 'ALL', body: { petId: 2 } }],
      ['GET /v1/pets?limit=1', 412, 'precondition_failed', { headers: { 'if-match': '"x"' } }],
      [`GET /v1/pets?x=${'x'.repeat(8_192)}`, 414, 'uri_too_long'],
      [
        'POST /v1/pets',
        400,
        'invalid_request',
        { body: { name: '', category_id: 7, status: 'no' } },
        ['name', 'categoryId', 'status', 'category_id'],
      ],
      ['POST /v1/pets', 400, 'invalid_request', { body: '{"name":"a","categoryId":1,"__proto__":{"status":"sold"}}' }, ['__proto__']],
      ['POST /v1/pets', 400, 'invalid_parameter', { body: PET, headers: { 'idempotency-key': '"open' } }, ['Idempotency-Key']],
      ['GET /v1/pets?limit=0&stauts=sold&name=a&name=b', 400, 'invalid_parameter', {}, ['limit', 'stauts', 'name']],
      ['PATCH /v1/pets/1', 400, 'invalid_parameter', { key: 'ALL', body: {}, headers: { 'if-match': '*, "x"' } }, ['If-Match']],
      ['POST /graphql', 403, 'insufficient_scope', { body: { query: COUNTS } }],
      ['POST /graphql', 400, 'invalid_request', { key: 'TOOLS', body: '{"query":' }],
      ['POST /graphql', 400, 'invalid_request', { key: 'TOOLS', body: `{"query":"{a}","query":"${COUNTS}"}` }],
      ['POST /graphql', 400, 'invalid_request', { key: 'TOOLS', body: [{ query: COUNTS }] }],
      ['POST /graphql', 415, 'unsupported_media_type', { key: 'TOOLS', body: COUNTS, headers: { 'content-type': 'application/graphql' } }],
      ['POST /graphql', 406, 'not_acceptable', { key: 'TOOLS', body: { query: COUNTS }, headers: { accept: 'text/html' } }],
    ];
    it.each(FAULTS.map((fault) => [fault[0], fault[1], fault[2], fault] as const))(
      '%#: %s by %i %s',
      async (_request, _status, _code, fault) => {
        const [request, status, code, options, fields] = fault;
        const answer = await send(request, options);
        expect(answer.status).toBe(status);
        expectFault(answer, code, status, fields);
      },
    );

    it.each([
      ['', 'garbage', 'nonsense', 400, 'invalid_request'],
      ['', 'a large head', `GET /v1/pets HTTP/1.1\r\n${HOST}X-Filler: ${'x'.repeat(17_000)}`, 431, 'headers_too_large'],
      ['key', 'another version', `GET /v1/pets HTTP/2.0\r\n${HOST}`, 400, 'invalid_request'],
      ['key', 'no Host', 'GET /v1/pets HTTP/1.1', 400, 'invalid_request'],
      ['key', 'a body as it streams', `POST /v1/pets HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked`, 413, 'payload_too_large'],
    ])('by its bytes, %s needed: %s', async (needed, what, head, status, code) => {
      const sent = async (further: string) => {
        const connection = new RawConnection(Number(new URL(service.origin).port));
        const body = what === 'a body as it streams' ? `10001\r\n${' '.repeat(65_537)}\r\n` : 'nonsense\r\n';
        const text = `${head.trimEnd()}\r\n${further}\r\n${head.endsWith('chunked') ? body : ''}`;
        connection.send(text);
        const { body: received, ...answer } = await connection.answer();
        connection.destroy();
        return { ...answer, text: received };
      };
      const key = `Content-Type: application/json\r\nAuthorization: Bearer ${service.token}\r\n`;
      if (needed === 'key') expectFault(await sent(''), 'unauthorized', 401);
      const answer = await sent(needed === 'key' ? key : '');
      expect(answer.status).toBe(status);
      expectFault(answer, code, status);
    });

    it('is told of a hundred values at most', async () => {
      const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`unknown${index}`, 1]));
      const { message, errors } = (await send('POST /v1/pets', { body })).json<{ message: string; errors: readonly object[] }>();
      expect(errors).toHaveLength(100);
      expect(message).toMatch(/; and 902 more\.$/);
    });

    it('names the parameter in which a key was sent, and not the key', async () => {
      const answer = await send(`GET /v1/pets?api_key=${service.token}`, { key: null });
      expect(answer.json()).toMatchObject({ status: 401, message: expect.stringContaining('The query parameter api_key is not read') });
      expect(answer.text).not.toContain(service.token);
    });

    it('has the links that it has anyway, and by HEAD those of GET', async () => {
      const unknown = await send('GET /v1/pets/99');
      expect(targetsOf(unknown.headers, 'successor-version')).toEqual(['/v1/pets?ids=99']);
      const head = await send('HEAD /v1/pets/99');
      expect([head.status, head.text, head.headers.link]).toEqual([404, '', unknown.headers.link]);
      expect(targetsOf((await send('GET /v1/pets?limit=1')).headers, 'help')).toEqual([]);
    });

    describe('by the query schema', () => {
      it.each([
        ['{', undefined, 'invalid_request'],
        ['query A { petCounts { count } } query B { petCounts { count } }', undefined, 'invalid_request'],
        ['query($n: Int) { pets(first: $n) { totalCount } }', { n: 'x' }, 'invalid_parameter'],
        ['query($id: ID = 1) { pet(id: $id) { id } }', { id: null }, 'invalid_parameter'],
        ['{ pet(id: 1, asOf: "2026-02-30T00:00:00Z") { id } }', undefined, 'invalid_parameter'],
        ['query($at: DateTime) { pet(id: 1, asOf: $at) { id } }', { at: FUTURE }, 'invalid_parameter'],
        ['{ pet(id: "1.0") { id } }', undefined, 'invalid_parameter'],
      ])('%s with %j, however often it is sent', async (query, variables, code) => {
        for (let times = 0; times < 2; times += 1) {
          const answered = await service.ask(query, variables);
          expect(codesOf(answered)).toEqual([code]);
          expect(answered.errors?.map(({ extensions: { errors: _, ...others } }) => Object.keys(others))).toEqual([['code']]);
          expect(answered.answer.text).not.toMatch(/stack|node_modules/);
        }
      });

      it('for a mutation by GET, and for a persisted query', async () => {
        const mutation = await send(`GET /graphql?query=${encodeURIComponent('mutation { a }')}`, { key: 'TOOLS' });
        expect([mutation.status, mutation.headers.allow]).toEqual([405, 'POST']);
        const persistedQuery = { version: 1, sha256Hash: 'ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38' };
        const persisted = await send('POST /graphql', { key: 'TOOLS', body: { query: COUNTS, extensions: { persistedQuery } } });
        expect(codesOf(persisted.json<GraphqlAnswer>())).toEqual(['invalid_request']);
      });

      it('tells nothing of a failure of its own', async () => {
        const { reader } = service.app.get(Database);
        const query = reader.query.bind(reader);
        const failing = jest.spyOn(reader, 'query').mockImplementation(async (statement) => {
          if (JSON.stringify(statement).includes('counts')) throw new Error('secret statement');
          return query(statement);
        });
        try {
          const { errors, answer } = await service.ask('{ petCounts { status count } }');
          expect(errors).toMatchObject([
            { message: 'The service failed; the log has the reason.', extensions: { code: 'internal_error' } },
          ]);
          expect(answer.text).not.toContain('secret');
        } finally {
          failing.mockRestore();
        }
      });
    });
  });

  describe('a service at the end of an operation, and without introspection', () => {
    let service: GraphqlService;
    beforeAll(async () => {
      const clock = new SettableClock(new Date('2030-12-04T23:59:59.999Z'));
      service = await startGraphqlService({ clock, environment: { GRAPHQL_INTROSPECTION: 'false' } });
      await service.addPet('Rex');
    });
    afterAll(() => service.close());

    it('says in every answer until when the operation is served and what follows, and then 410', async () => {
      for (const status of ['served', 'gone']) {
        if (status === 'gone') service.clock.set('2030-12-05T00:00:00.000Z');
        for (const [id, query] of [
          ['1', '?ids=1'],
          ['2', '?ids=2'],
          ['x', ''],
          ['%22%3E', ''],
        ] as const) {
          const answer = await service.client.get(`/v1/pets/${id}`);
          expect(answer.headers).toMatchObject({ deprecation: '@1764892800', sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' });
          expect(targetsOf(answer.headers, 'successor-version')).toEqual([`/v1/pets${query}`]);
          if (status === 'gone') expect(answer.json()).toMatchObject({ code: 'gone', status: 410 });
          else expect(answer.status).toBe(id === '1' ? 200 : id === '2' ? 404 : 400);
        }
      }
      expect((await service.client.get('/v1/pets')).status).toBe(200);
    });

    it('suggests no names either', async () => {
      for (const query of [getIntrospectionQuery(), '{ __type(name: "Pet") { name } }']) {
        expect(codesOf(await service.ask(query))).toContain('invalid_request');
      }
      for (const guess of ['petz { totalCount }', 'pets(statuz: SOLD) { totalCount }', 'pets(status: SOLDE) { totalCount }']) {
        const { errors = [] } = await service.ask(`{ ${guess} }`);
        expect(errors.length).toBeGreaterThan(0);
        for (const { message } of errors) expect(message).not.toMatch(/did you mean/i);
      }
      expect((await service.ask('{ __typename petCounts { __typename } }')).errors).toBeUndefined();
    });
  });
});
