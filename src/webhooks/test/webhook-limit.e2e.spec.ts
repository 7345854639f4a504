import { startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { repeatWithoutReads } from '../../../test/e2e/repeated-request.fixture.js';

const LIMIT = 5;

describe('how many webhook endpoints a key may have', () => {
  let service: WebhookService;
  beforeEach(async () => (service = await startWebhooks({ environment: { WEBHOOKS_PER_KEY: String(LIMIT) } })));
  afterEach(() => service.close());

  const body = { url: 'https://1.1.1.1/events' };
  const post = (options = {}) => service.send('POST', '', { body, ...options });
  const fill = async () => {
    const added: WebhookBody[] = [];
    while (added.length < LIMIT) added.push(await service.add());
    return added;
  };

  it('is kept to by requests that overlap, whichever come first', async () => {
    const answers = await Promise.all(Array.from({ length: 4 * LIMIT }, () => post()));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(LIMIT);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer.json()).toMatchObject({ code: 'too_many_webhooks', status: 409 });
    }
    expect((await service.send('GET')).json()).toHaveLength(LIMIT);
  });

  it("does not count what is deleted, nor others', but what is disabled", async () => {
    const [first, second] = await fill();
    await service.send('PATCH', `/${first?.id}`, { body: { enabled: false } });
    expect((await post()).status).toBe(409);
    expect((await post({ key: service.neighbour })).status).toBe(201);
    expect((await service.send('DELETE', `/${second?.id}`)).status).toBe(204);
    expect((await post()).status).toBe(201);
    expect((await post()).json()).toMatchObject({
      code: 'too_many_webhooks',
      message: `An API key may have ${LIMIT} webhook endpoints; delete one before you add another.`,
    });
  });

  it('holds on the command line', async () => {
    await fill();
    const words = ['webhooks', 'create', '--key', String(service.ownerId), '--url', body.url];
    const environment = { ...service.backend, WEBHOOKS_PER_KEY: String(LIMIT) };
    expect(await runHere(environment, words)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`may have ${LIMIT}`) });
  });

  it('is no matter to a repeated request', async () => {
    const headers = { 'idempotency-key': 'last' };
    for (let count = 1; count < LIMIT; count += 1) await service.add();
    const first = await post({ headers });
    const again = await post({ headers });
    const { secret: _secret, ...endpoint } = first.json<WebhookBody>();
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([201, 201, 'true']);
    expect(again.json()).toEqual(endpoint);
    expect((await post({ headers: { 'idempotency-key': 'further' } })).status).toBe(409);
  });
});

describe('a webhook endpoint with an Idempotency-Key', () => {
  let service: WebhookService;
  beforeAll(async () => (service = await startWebhooks()));
  afterAll(() => service.close());

  const add = (key: string, values = {}, token = service.owner) =>
    service.send('POST', '', { key: token, body: { url: 'https://1.1.1.1/events', ...values }, headers: { 'idempotency-key': key } });

  it('is the first answer again without the secret, also once it has changed or is gone', async () => {
    const first = await add('k-1', { types: ['pet.added'], enabled: false });
    const { secret: _secret, ...endpoint } = first.json<WebhookBody>();
    for (const step of ['PATCH', 'DELETE', 'GET']) {
      await service.send(step, `/${endpoint.id}`, step === 'PATCH' ? { body: { enabled: true } } : {});
      const again = await add('k-1', { types: ['pet.added'], enabled: false });
      expect(again.json()).toEqual(endpoint);
      expect(again).toMatchObject({ status: 201, headers: { location: first.headers.location, 'idempotency-replayed': 'true' } });
    }
    for (const other of [{}, { types: ['pet.added'] }, { types: ['pet.added'], enabled: true }]) {
      expect((await add('k-1', other)).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    }
    expect(await service.historyOf(endpoint.id)).toHaveLength(4);
  });

  it('is the first answer again before anything is read', async () => {
    const { first, again } = await repeatWithoutReads(service, () => add('k-4'));
    const { secret: _secret, ...endpoint } = first.json<WebhookBody>();
    expect(again.json()).toEqual(endpoint);
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('is added once for many overlapping requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => add('k-2')));
    const added = answers.filter(({ status }) => status === 201).map((answer) => answer.json<WebhookBody>());
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(added.filter(({ secret }) => secret !== undefined)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer.json()).toMatchObject({ code: 'idempotency_key_in_progress' });
    }
  });

  it('leaves the key to other API keys', async () => {
    await add('k-3');
    expect((await add('k-3', {}, service.neighbour)).headers['idempotency-replayed']).toBeUndefined();
  });
});
