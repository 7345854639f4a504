import fc from 'fast-check';
import type { RequestOptions } from './api-client.fixture.js';
import { fitsSchema } from './openapi-contract.fixture.js';
import { startService, type Service } from './service.fixture.js';

const LARGE = 'x'.repeat(70_000);
const JSON_BODY = { name: 'Rex', categoryId: 7 };

const blanks = fc.constantFrom(' ', '\t', '\r\n', '\u0085', '\u00a0', '\u1680', '\u2003', '\u2028', '\u202f', '\u205f', '\u3000');
const oddities = fc.constantFrom('\u0000', '\ud800', '\udfff', '\ufeff', '\u200b', '\u180e', '\u001f', 'é', '🐈', 'a');
const names = fc.oneof(
  fc.array(fc.oneof({ weight: 3, arbitrary: blanks }, { weight: 2, arbitrary: oddities }), { maxLength: 6 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.tuple(fc.integer({ min: 253, max: 257 }), fc.constantFrom('a', '🐈', ' ')).map(([length, text]) => text.repeat(length)),
  fc.constantFrom(null, 7, ['a'], {}),
);

/** Every answer is compared with the document by the client that sends the request. */
describe('the service and its OpenAPI document', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    await service.client.post('/v1/pets', JSON_BODY);
  });
  afterAll(() => service.close());

  it('agree on which names a new animal may have', async () => {
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const { status } = await service.client.post('/v1/pets', { name, categoryId: 7 });
        expect(status).toBe(fitsSchema('NewPet', { name, categoryId: 7 }) ? 201 : 400);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[status: number, method: string, target: string, options: RequestOptions]>([
    [200, 'GET', '/v1/pets', { body: LARGE }],
    [200, 'GET', '/v1/pets', { body: 'x', headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' } }],
    [200, 'HEAD', '/v1/pets/1', { body: LARGE }],
    [200, 'HEAD', '/v1/pets?limit=1', {}],
    [304, 'GET', '/v1/pets/1', { headers: { 'if-none-match': '*' } }],
    [304, 'HEAD', '/v1/pets/1', { headers: { 'if-none-match': '*', 'if-match': '*' } }],
    [412, 'GET', '/v1/pets', { headers: { 'if-match': '"x"' } }],
    [412, 'HEAD', '/v1/pets', { headers: { 'if-match': '"x"' } }],
    [412, 'GET', '/v1/pets/1', { headers: { 'if-match': 'W/"x"', 'if-none-match': '*' } }],
    [412, 'HEAD', '/v1/pets/1', { headers: { 'if-match': '"x"' } }],
    [404, 'GET', '/v1/pets/999', { headers: { 'if-match': '*' } }],
    [404, 'HEAD', '/v1/pets/999', {}],
    [400, 'HEAD', '/v1/pets?limit=0', {}],
    [400, 'GET', '/v1/pets?x=1', {}],
    [400, 'HEAD', '/v1/pets/x', {}],
    [400, 'GET', '/v1/pets/1?x=1', {}],
    [406, 'GET', '/v1/pets', { headers: { accept: 'text/html' } }],
    [406, 'HEAD', '/v1/pets', { headers: { accept: 'text/html' } }],
    [417, 'GET', '/v1/pets/1', { headers: { expect: 'tea' } }],
    [501, 'GET', '/v1/pets', { headers: { 'transfer-encoding': 'gzip, chunked' } }],
    [501, 'POST', '/v1/pets', { headers: { 'transfer-encoding': 'gzip, chunked' } }],
    [501, 'OPTIONS', '/v1/pets/1', { headers: { 'transfer-encoding': 'gzip, chunked' } }],
    [412, 'POST', '/v1/pets', { body: JSON_BODY, headers: { 'if-match': '"x"', 'if-none-match': '*' } }],
    [400, 'POST', '/v1/pets', {}],
    [400, 'POST', '/v1/pets?x=1', { body: JSON_BODY }],
    [400, 'POST', '/v1/pets', { body: JSON_BODY, headers: { 'idempotency-key': 'a'.repeat(256) } }],
    [413, 'POST', '/v1/pets', { body: LARGE }],
    [415, 'POST', '/v1/pets', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    [415, 'POST', '/v1/pets', { body: '', headers: { 'content-type': 'text/plain' } }],
    [415, 'POST', '/v1/pets', { body: '{}', headers: { 'content-encoding': 'gzip' } }],
    [204, 'OPTIONS', '/v1/pets?limit=x&y=1', { headers: { accept: 'text/html' } }],
    [204, 'OPTIONS', '/v1/pets/x', { body: LARGE }],
    [417, 'OPTIONS', '/v1/pets', { headers: { expect: 'tea' } }],
    [400, 'OPTIONS', '/v1/pets/%zz', {}],
    [401, 'HEAD', '/v1/pets', { key: null }],
    [401, 'OPTIONS', '/v1/pets/1', { key: null }],
  ])('agree on %i for %s %s with %j', async (status, method, target, options) => {
    expect((await service.client.send(method, target, options)).status).toBe(status);
  });

  it('agree on what a 415 names', async () => {
    const refused = async (headers: Readonly<Record<string, string>>) =>
      (await service.client.post('/v1/pets', '{}', { headers })).headers as Readonly<Record<string, string | undefined>>;
    const [byType, byCoding] = [await refused({ 'content-type': 'text/plain' }), await refused({ 'content-encoding': 'gzip' })];
    expect([byType['accept'], byType['accept-encoding']]).toEqual(['application/json', undefined]);
    expect([byCoding['accept'], byCoding['accept-encoding']]).toEqual([undefined, 'identity']);
  });
});
