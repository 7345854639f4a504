import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { ADDRESS, startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const LIMIT = 5;

describe('a further webhook endpoint of a key', () => {
  let service: WebhookService;
  let key: string;
  let keyId: bigint;
  beforeAll(async () => (service = await startWebhooks({ environment: { WEBHOOKS_PER_KEY: String(LIMIT) } })));
  afterAll(() => service.close());
  beforeEach(async () => ({ id: keyId, token: key } = await service.issueKey({ ...UNLIMITED, scopes: ['webhooks', 'events'] })));

  const send = (method: string, path = '', options = {}) => service.send(method, path, { key, ...options });
  const add = (values = {}, options = {}) => send('POST', '', { body: { url: ADDRESS, ...values }, ...options });
  const addOnce = (idempotencyKey: string, values = {}, options = {}) =>
    add(values, { headers: { 'idempotency-key': idempotencyKey }, ...options });

  it('is kept to the limit by requests that overlap, whichever come first, and on the command line', async () => {
    const answers = await Promise.all(Array.from({ length: 4 * LIMIT }, () => add()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer.json()).toMatchObject({ code: 'too_many_webhooks', status: 409 });
    }
    expect((await send('GET')).json()).toHaveLength(LIMIT);
    const words = ['webhooks', 'create', '--key', String(keyId), '--url', ADDRESS];
    const environment = { ...service.backend, WEBHOOKS_PER_KEY: String(LIMIT) };
    expect(await runHere(environment, words)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`may have ${LIMIT}`) });
  });

  it("does not count what is deleted, nor others', but what is disabled; a repeated request is not refused", async () => {
    const [first, second] = [(await add()).json<WebhookBody>(), (await add()).json<WebhookBody>()];
    for (let count = 3; count < LIMIT; count += 1) await add();
    const last = await addOnce('last');
    await send('PATCH', `/${first.id}`, { body: { enabled: false } });
    const { secret: _secret, ...endpoint } = last.json<WebhookBody>();
    expect((await addOnce('last')).json()).toEqual(endpoint);
    expect((await addOnce('further')).status).toBe(409);
    expect((await add({}, { key: service.neighbour })).status).toBe(201);
    expect((await send('DELETE', `/${second.id}`)).status).toBe(204);
    expect([(await addOnce('further')).status, (await add()).status]).toEqual([201, 409]);
  });

  it('is the first answer again without the secret, also once it has changed or is gone', async () => {
    const body = { types: ['pet.added'], enabled: false };
    const first = await addOnce('k-1', body);
    const { secret: _secret, ...endpoint } = first.json<WebhookBody>();
    for (const step of ['PATCH', 'DELETE', 'GET']) {
      await send(step, `/${endpoint.id}`, step === 'PATCH' ? { body: { enabled: true } } : {});
      const again = await addOnce('k-1', body);
      expect(again.json()).toEqual(endpoint);
      expect(again).toMatchObject({ status: 201, headers: { location: first.headers.location, 'idempotency-replayed': 'true' } });
    }
    for (const other of [{}, { types: ['pet.added'] }, { ...body, enabled: true }]) {
      expect((await addOnce('k-1', other)).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    }
    expect(await service.historyOf(endpoint.id)).toHaveLength(4);
    const others = await addOnce('k-1', {}, { key: service.neighbour });
    expect([others.status, others.headers['idempotency-replayed']]).toEqual([201, undefined]);
  });
});
