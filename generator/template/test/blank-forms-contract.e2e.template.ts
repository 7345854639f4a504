import fc from 'fast-check';
import type { RequestOptions } from '../../../test/e2e/api-client.fixture.js';
import { fitsSchema } from '../../../test/e2e/openapi-contract.fixture.js';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';

const PATH = '/v1/blank-forms';

/** A valid body. Each refused body differs from it only in one member. */
const valid = { blankText: 'First', blankInteger: 1, blankTime: '2026-06-01T20:00:00.000Z', blankFlag: true, blankWord: 'blank-first' };

/** Every answer is compared with the document by the client that sends the request. */
describe('the blank forms and the OpenAPI document', () => {
  let service: Service;
  let key: string;
  beforeAll(async () => {
    service = await startService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['blank-forms'] })).token;
    // if animals
    for (const name of ['Rex', 'Ana', 'Tom']) await service.client.post('/v1/pets', { name, categoryId: 7 });
    // end
    const { status, text } = await service.client.post(PATH, valid, { key });
    if (status !== 201) throw new Error(`The valid body is refused: ${text}`);
  });
  afterAll(() => service.close());

  it.each(['blankText', 'blankInteger', 'blankTime', 'blankFlag', 'blankWord'])('agree on what %s may be', async (field) => {
    const values = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(' ', '\t\u2003', 'a'.repeat(256), '🐈'.repeat(255), '2026-06-01T23:00:00+02:00'),
      fc.constantFrom(null, undefined, 7, 1.5, true, []),
    );
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        const body = { ...valid, [field]: value };
        const { status } = await service.client.post(PATH, body, { key });
        // What fits may still be refused by the rules of the module.
        expect(status !== 400).toBe(fitsSchema('NewBlankForm', JSON.parse(JSON.stringify(body))));
      }),
    );
  });

  it.each<[status: number, method: string, target: string, options: RequestOptions]>([
    [200, 'HEAD', `${PATH}?limit=1`, {}],
    [304, 'GET', `${PATH}/1`, { headers: { 'if-none-match': '*' } }],
    [412, 'GET', PATH, { headers: { 'if-match': '"x"' } }],
    [404, 'GET', `${PATH}/9223372036854775807`, {}],
    [400, 'GET', `${PATH}/x`, {}],
    [400, 'GET', `${PATH}?limit=0`, {}],
    [400, 'GET', `${PATH}?cursor=x`, {}],
    [400, 'GET', `${PATH}?no-such=1`, {}],
    [400, 'GET', `${PATH}?ids=x`, {}],
    [400, 'GET', `${PATH}?order=up`, {}],
    [200, 'GET', `${PATH}?order=desc&total=true`, {}],
    [400, 'POST', PATH, {}],
    [400, 'POST', PATH, { body: { ...valid, id: 1 } }],
    [400, 'POST', PATH, { body: valid, headers: { 'idempotency-key': 'a'.repeat(256) } }],
    [405, 'DELETE', `${PATH}/1`, {}],
    [406, 'GET', PATH, { headers: { accept: 'text/html' } }],
    [415, 'POST', PATH, { body: '{}', headers: { 'content-type': 'text/plain' } }],
    [204, 'OPTIONS', PATH, {}],
    // each route
    [400, 'POST', `${PATH}/x/blank-close`, {}],
    [400, 'POST', `${PATH}/1/blank-change`, { body: { no: 1 } }],
    [400, 'POST', `${PATH}/x/blank-change`, { body: valid }],
  ])('agree on %i for %s %s with %j', async (status, method, target, options) => {
    expect((await service.client.send(method, target, { key, ...options })).status).toBe(status);
  });

  it('agree on who may ask', async () => {
    expect((await service.client.get(PATH)).json()).toMatchObject({ code: 'insufficient_scope', status: 403 });
    expect((await service.client.get(PATH, { key: null })).json()).toMatchObject({ code: 'unauthorized', status: 401 });
  });
});
