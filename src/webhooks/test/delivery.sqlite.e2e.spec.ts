import { EventStore } from '#libs/event-sourcing';
import { expectEventually, until } from '#libs/testing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startDeliveries, type DeliveringService, type DeliveryBody } from '../../../test/e2e/deliveries.fixture.js';
import { DescribedService, type OpenApiDocument } from '../../../test/e2e/openapi-document.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startReceiver, status, type ReceivedMessage, type WebhookReceiver } from '../../../test/e2e/webhook-receiver.fixture.js';
import { startWebhooks, type WebhookBody } from '../../../test/e2e/webhooks.fixture.js';
import { KeyDecisions } from '../../auth/index.js';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { signatureHeaders } from '../domain/webhook-signature.js';
import { EndpointProgress } from '../records/endpoint-progress.js';

const HOUR = 3_600_000;

interface TestEvent {
  readonly id: string;
  readonly dataschema: string;
}

/** What the OpenAPI document says of the test. */
type DescribedTest = Record<
  'webhook.test',
  { readonly post: { readonly requestBody: { readonly content: Record<'application/cloudevents+json', { readonly schema: object }> } } }
>;

describe('what is sent to a webhook endpoint', () => {
  let service: DeliveringService;
  let receiver: WebhookReceiver;
  beforeAll(async () => (service = await startDeliveries()));
  afterAll(() => service.close());
  beforeEach(async () => (receiver = await startReceiver()));
  afterEach(async () => {
    for (const { id } of (await service.send('GET', '?limit=100')).json<WebhookBody[]>()) await service.send('DELETE', `/${id}`);
    await receiver.close();
  });

  const add = (values = {}, options = {}) => service.add({ url: receiver.url, ...values }, options);
  const addPet = () => service.addAnyPet();
  const untilRecorded: DeliveringService['untilRecorded'] = (webhook, count) => service.untilRecorded(webhook, count);
  const post = (path: string) => service.send('POST', path);
  const lastPosition = () => service.app.get(EventStore).lastPosition();
  const idsOf = (messages: readonly ReceivedMessage[]) => messages.map(({ headers }) => String(headers['webhook-id']));
  const shown = async ({ id }: WebhookBody) => (await service.send('GET', `/${id}`)).json<WebhookBody>();
  const waitOf = ({ attemptedAt, nextAttemptAt = '' }: DeliveryBody) => Date.parse(nextAttemptAt) - Date.parse(attemptedAt);
  const expectSignedBy = ({ headers, body }: ReceivedMessage, secrets: readonly (string | undefined)[]) => {
    const timestamp = new Date(Number(headers['webhook-timestamp']) * 1_000);
    const own = secrets.map((secret = '') => secret);
    expect(headers).toMatchObject({ ...signatureHeaders({ id: String(headers['webhook-id']), timestamp, body, secrets: own }) });
  };

  it('is each event that happens from then on, signed, in order, with an id that no other deployment gives', async () => {
    await addPet();
    const webhook = await add();
    const pets = [await addPet(), await addPet(), await addPet()];
    const messages = await receiver.received(3);
    expect(receiver.told()).toEqual(pets.map((id) => `pet.added pets/${id}`));
    for (const message of messages) {
      expectSignedBy(message, [webhook.secret]);
      const now = `${Math.floor(service.clock.now().getTime() / 1_000)}`;
      const fixed = { 'content-type': 'application/cloudevents+json', 'user-agent': 'adoption-webhooks/1', 'webhook-timestamp': now };
      expect(message.headers).toMatchObject(fixed);
    }
    const [event] = await service.app.get(EventStore).readAll({ streams: [`pet-${pets[0]}`] });
    expect(idsOf(messages)[0]).toBe(`wh${webhook.id}_${event?.position}_${event?.eventId.replaceAll('-', '').slice(0, 12)}`);
    const deliveries = await untilRecorded(webhook, 3);
    expect(deliveries.map(({ eventId, attempt, status }) => [eventId, attempt, status])).toEqual(
      messages.map(({ body }) => [(JSON.parse(body) as TestEvent).id, 1, 204]).toReversed(),
    );
  });

  it('is signed by a new secret as soon as it is made, beside the earlier one', async () => {
    const webhook = await add();
    await addPet();
    await receiver.received(1);
    const { secret } = (await post(`/${webhook.id}/rotate-secret`)).json<WebhookBody>();
    await addPet();
    const [before, after] = await receiver.received(2);
    if (!before || !after) throw new Error('Two were received.');
    expectSignedBy(before, [webhook.secret]);
    expectSignedBy(after, [secret, webhook.secret]);
  });

  it('has only the types of the endpoint, even after they have changed', async () => {
    const { id } = await add({ types: ['pet.withdrawn'] });
    const pets = [await addPet(), await addPet()];
    const keeper = (await service.issueKey({ scopes: ['pets:write'] })).token;
    const withdraw = (pet: number | undefined) => service.client.send('DELETE', `/v1/pets/${pet}?reason=gone`, { key: keeper });
    await withdraw(pets[0]);
    await receiver.received(1);
    await service.send('PATCH', `/${id}`, { body: { types: ['pet.added'] } });
    await withdraw(pets[1]);
    const last = await addPet();
    await receiver.received(2);
    expect(receiver.told()[0]).toBe(`pet.withdrawn pets/${pets[0]}`);
    expect(receiver.told().at(-1)).toBe(`pet.added pets/${last}`);
  });

  it('is sent again after it failed, with the same id and the same bytes, and does not hold up the next', async () => {
    receiver.answer((response, _message, index) => response.writeHead(index === 0 ? 500 : 200, { 'retry-after': '20' }).end());
    const webhook = await add();
    const [one, two] = [await addPet(), await addPet()];
    await receiver.received(2);
    expect(receiver.told()).toEqual([`pet.added pets/${one}`, `pet.added pets/${two}`]);
    const [, failed] = await untilRecorded(webhook, 2);
    if (!failed) throw new Error('Two were recorded.');
    expect(failed).toMatchObject({ attempt: 1, status: 500, error: 'answered 500' });
    // Longer than the first delay, since the receiver asks for it.
    expect(waitOf(failed)).toBe(20_000);
    service.clock.advance(waitOf(failed));
    const [first, , again] = await receiver.received(3);
    expect([again?.body, again?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']]);
    expect(again?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    const [last] = await untilRecorded(webhook, 3);
    expect(last).toMatchObject({ eventId: failed.eventId, attempt: 2, status: 200 });
    expect(last?.nextAttemptAt).toBeUndefined();
  });

  it('is given up after ten attempts, and recovered by a replay', async () => {
    const after = await lastPosition();
    receiver.answer(status(500));
    const webhook = await add();
    const pet = await addPet();
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const [newest] = await untilRecorded(webhook, attempt);
      expect(newest).toMatchObject({ attempt });
      expect(newest?.nextAttemptAt === undefined).toBe(attempt === 10);
      if (newest?.nextAttemptAt) service.clock.set(newest.nextAttemptAt);
    }
    receiver.answer(status(200));
    const replayed = await post(`/${webhook.id}/replay?after=${after}`);
    expect([replayed.status, replayed.json()]).toEqual([202, { events: 1 }]);
    await receiver.received(11);
    expect(receiver.told().at(-1)).toBe(`pet.added pets/${pet}`);
    expect(new Set(idsOf(receiver.messages)).size).toBe(1);
  });

  it.each([
    ['gone', status(410), 0],
    ['failing', status(500), 6 * 24 * HOUR],
  ])('ends when it is %s, which is an event, and begins at the end of the log when it is enabled again', async (reason, answer, later) => {
    receiver.answer(answer);
    const webhook = await add();
    await addPet();
    await untilRecorded(webhook, 1);
    service.clock.advance(later);
    await expectEventually(async () => (await shown(webhook)).disabledReason, reason);
    expect(await service.historyOf(webhook.id)).toEqual(['webhook-registered', 'webhook-disabled']);
    for (const path of ['test', 'replay?after=0']) {
      expect((await post(`/${webhook.id}/${path}`)).json()).toMatchObject({ code: 'webhook_disabled', status: 409 });
    }
    await addPet();
    receiver.answer(status(200));
    await service.send('PATCH', `/${webhook.id}`, { body: { enabled: true } });
    const before = receiver.messages.length;
    const last = await addPet();
    await receiver.received(before + 1);
    expect(receiver.told().slice(before)).toEqual([`pet.added pets/${last}`]);
  });

  it('goes on where a success was between failures that are far apart', async () => {
    receiver.answer((response, _message, index) => response.writeHead(index === 1 ? 200 : 500).end());
    const webhook = await add();
    await addPet();
    await addPet();
    await untilRecorded(webhook, 2);
    service.clock.advance(6 * 24 * HOUR);
    await untilRecorded(webhook, 3);
    await addPet();
    await untilRecorded(webhook, 4);
    expect(await service.historyOf(webhook.id)).toEqual(['webhook-registered']);
  });

  it('is what happened before, by a replay, also where nothing was sent yet', async () => {
    const after = await lastPosition();
    const pet = await addPet();
    const { id } = await add();
    expect((await post(`/${id}/replay?after=${after}`)).json()).toEqual({ events: 1 });
    await receiver.received(1);
    expect(receiver.told()).toEqual([`pet.added pets/${pet}`]);
  });

  it('is sent again once by a replay of several pages, and after it by another', async () => {
    const webhook = await add();
    const after = await lastPosition();
    const pets: number[] = [];
    for (let count = 0; count < 110; count += 1) pets.push(await addPet());
    await receiver.received(110);
    const events = pets.map((id) => `pet.added pets/${id}`);
    const replay = async () => (await post(`/${webhook.id}/replay?after=${after}`)).json();
    const progress = async () => service.app.get(EndpointProgress).find(BigInt(webhook.id));
    await until(async () => (await progress())?.position === (await lastPosition()));
    for (const times of [2, 3]) {
      expect(await replay()).toEqual({ events: 110 });
      await receiver.received(times * 110);
      await until(async () => (await progress())?.replayPosition === undefined);
      expect(receiver.told().slice((times - 1) * 110)).toEqual(events);
    }
  });

  it('may be a test in the documented form, tried once, with an id that is no position and a schema that exists', async () => {
    receiver.answer(status(500));
    const webhook = await add();
    const accepted = await post(`/${webhook.id}/test`);
    expect(accepted.status).toBe(202);
    const [message] = await receiver.received(1);
    const event = JSON.parse(message?.body ?? '') as TestEvent;
    expect(event).toMatchObject({ type: 'webhook.test', subject: `webhooks/${webhook.id}`, data: { id: webhook.id } });
    const [delivery] = await untilRecorded(webhook, 1);
    expect(delivery).toMatchObject({ ...accepted.json(), eventId: event.id, type: 'webhook.test', attempt: 1, status: 500 });
    expect(delivery?.nextAttemptAt).toBeUndefined();
    // No outcome of a test is one of the endpoint.
    receiver.answer(status(410));
    await post(`/${webhook.id}/test`);
    await untilRecorded(webhook, 2);
    receiver.answer(status(200));
    await addPet();
    await untilRecorded(webhook, 3);
    expect(await service.historyOf(webhook.id)).toEqual(['webhook-registered']);

    const document = (await service.client.get('/openapi.json')).json<OpenApiDocument & { readonly webhooks: DescribedTest }>();
    const { schema } = document.webhooks['webhook.test'].post.requestBody.content['application/cloudevents+json'];
    expect(new DescribedService(document).faultOf(schema, event)).toBeUndefined();
    // Positions begin at 1, and receivers may tell events apart by their ids.
    expect(event.id).toMatch(/^9\d{18}$/);
    expect((await service.client.get(new URL(event.dataschema).pathname)).status).toBe(200);
  });

  it('is sent again by hand, even if it was delivered', async () => {
    const webhook = await add();
    await addPet();
    const [delivery] = await untilRecorded(webhook, 1);
    const accepted = await post(`/${webhook.id}/deliveries/${delivery?.id}/redeliver`);
    expect(accepted.status).toBe(202);
    const [first, again] = await receiver.received(2);
    expect([again?.body, again?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']]);
    expect((await untilRecorded(webhook, 2))[0]).toMatchObject(accepted.json());
    expect((await post(`/${webhook.id}/deliveries/999999/redeliver`)).json()).toMatchObject({ code: 'not_found' });
  });

  it('falls silent with its revoked key, while that of a banned one continues', async () => {
    const [revoked, banned] = [await startReceiver(), await startReceiver()];
    const owner = await service.issueKey({ ...UNLIMITED, scopes: ['webhooks', 'events'] });
    await service.add({ url: revoked.url }, { key: owner.token });
    const { id } = await service.add({ url: banned.url }, { key: service.neighbour });
    const end = new Date(service.clock.now().getTime() + HOUR);
    const ban = { type: 'record-ban', until: end, step: 1, unbans: 0 } as const;
    await service.app.get(KeyDecisions).append(service.ownerId + 1n, ban, { metadata: { actor: 'system' } });
    await addPet();
    await Promise.all([revoked.received(1), banned.received(1)]);
    await runHere(service.backend, ['keys', 'revoke', `${owner.id}`]);
    await until(() => service.app.get(DeliveryProcess, { strict: false }).endpointCount === 1);
    await addPet();
    await banned.received(2);
    expect(revoked.messages).toHaveLength(1);
    await runHere(service.backend, ['webhooks', 'delete', `${id}`, '--yes']);
  });

  it('goes to 29 others in order while one does not answer', async () => {
    const silent = await startReceiver(() => undefined);
    await add({ url: silent.url });
    for (let other = 1; other < 30; other += 1) await add();
    const pets = [await addPet(), await addPet(), await addPet()];
    await receiver.received(3 * 29);
    const told = new Map<string | undefined, string[]>();
    for (const [index, id] of idsOf(receiver.messages).entries()) {
      const [endpoint] = id.split('_');
      told.set(endpoint, [...(told.get(endpoint) ?? []), receiver.told()[index] ?? '']);
    }
    expect(told.size).toBe(29);
    for (const ofEndpoint of told.values()) expect(ofEndpoint).toEqual(pets.map((pet) => `pet.added pets/${pet}`));
    expect(silent.messages).toHaveLength(1);
    await silent.close();
  });
});

describe('a message for an address that may not be sent to any more', () => {
  it('is not sent, and that address not connected to', async () => {
    const [service, receiver] = [await startWebhooks({ polls: true }), await startReceiver()];
    const words = ['webhooks', 'create', '--key', `${service.ownerId}`, '--url', receiver.url];
    expect((await runHere({ ...service.backend, WEBHOOK_ALLOW_LOOPBACK: 'true' }, words)).code).toBe(0);
    await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    const deliveries = async () => (await service.send('GET', '/1/deliveries')).json<DeliveryBody[]>();
    await until(async () => (await deliveries()).length > 0);
    expect(await deliveries()).toMatchObject([{ error: expect.stringContaining('public address'), nextAttemptAt: expect.any(String) }]);
    expect(receiver.messages).toEqual([]);
    await service.close();
    await receiver.close();
  });
});
