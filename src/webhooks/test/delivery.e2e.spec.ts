import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { Webhook as Verifier } from 'standardwebhooks';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { DescribedService, type OpenApiDocument } from '../../../test/e2e/openapi-document.fixture.js';
import { startDeliveries, type DeliveringService } from '../../../test/e2e/deliveries.fixture.js';
import { startReceiver, status, type WebhookReceiver } from '../../../test/e2e/webhook-receiver.fixture.js';
import type { WebhookBody } from '../../../test/e2e/webhooks.fixture.js';
import { BanApiKey } from '../../auth/index.js';
import { DeliveryProcess } from '../delivery/delivery-process.js';

interface TestEvent {
  readonly id: string;
  readonly sequence: string;
  readonly dataschema: string;
  readonly data: object;
}

/** What the OpenAPI document says of the test. */
type DescribedTest = Record<
  'webhook.test',
  { readonly post: { readonly requestBody: { readonly content: Record<'application/cloudevents+json', { readonly schema: object }> } } }
>;

describe('what is sent to a webhook endpoint', () => {
  let service: DeliveringService;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    service = await startDeliveries();
    ({ receiver } = service);
  });
  afterEach(() => service.close());

  const add: DeliveringService['addEndpoint'] = (values) => service.addEndpoint(values);
  const addPet = () => service.addAnyPet();
  const untilRecorded: DeliveringService['untilRecorded'] = (webhook, count) => service.untilRecorded(webhook, count);
  const post = (path: string) => service.send('POST', path);

  it('is each event that happens from then on, signed, in order', async () => {
    await addPet();
    const webhook = await add();
    const ids = [await addPet(), await addPet(), await addPet()];
    const messages = await receiver.received(3);
    expect(receiver.told()).toEqual(ids.map((id) => `pet.added pets/${id}`));
    const [first] = messages;
    expect(first?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json',
      'user-agent': 'adoption-webhooks/1',
      'webhook-timestamp': `${Math.floor(service.clock.now().getTime() / 1_000)}`,
    });
    service.clock.set(new Date());
    const now = await addPet();
    const [, , , last] = await receiver.received(4);
    const event = new Verifier(webhook.secret ?? '').verify(last?.body ?? '', last?.headers as Record<string, string>);
    expect(event).toMatchObject({ type: 'pet.added', subject: `pets/${now}`, data: { id: now } });
    expect(await untilRecorded(webhook, 4)).toMatchObject([{ eventId: (event as { id: string }).id, attempt: 1, status: 204 }, {}, {}, {}]);
  });

  it('has only the types of the endpoint, even after they have changed', async () => {
    const { id } = await add({ types: ['pet.withdrawn'] });
    const pets = [await addPet(), await addPet()];
    const keeper = (await service.issueKey({ scopes: ['pets:write'] })).token;
    const withdraw = (pet: number | undefined) => service.client.send('DELETE', `/v1/pets/${pet}?reason=gone`, { key: keeper });
    await withdraw(pets[0]);
    await receiver.received(1);
    await service.send('PATCH', `/${id}`, { body: { types: ['pet.added'] } });
    await receiver.received(1);
    await withdraw(pets[1]);
    const last = await addPet();
    await receiver.received(2);
    expect(receiver.told()[0]).toBe(`pet.withdrawn pets/${pets[0]}`);
    expect(receiver.told().at(-1)).toBe(`pet.added pets/${last}`);
  });

  it('is sent again after it failed, with the same id and the same bytes, and does not hold up the next', async () => {
    receiver.answer((response, _message, index) => response.writeHead(index === 0 ? 500 : 200).end());
    const webhook = await add();
    const [one, two] = [await addPet(), await addPet()];
    await receiver.received(2);
    expect(receiver.told()).toEqual([`pet.added pets/${one}`, `pet.added pets/${two}`]);
    const [, failed] = await untilRecorded(webhook, 2);
    expect(failed).toMatchObject({ attempt: 1, status: 500, error: 'answered 500' });
    const wait = Date.parse(failed?.nextAttemptAt ?? '') - Date.parse(failed?.attemptedAt ?? '');
    expect(wait).toBeGreaterThanOrEqual(5_000);
    expect(wait).toBeLessThanOrEqual(6_000);
    service.clock.advance(wait);
    const [first, , again] = await receiver.received(3);
    expect([again?.body, again?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']]);
    expect(again?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp']);
    const [last] = await untilRecorded(webhook, 3);
    expect(last).toMatchObject({ eventId: failed?.eventId, attempt: 2, status: 200 });
    expect(last?.nextAttemptAt).toBeUndefined();
  });

  it('has an id that no message of another deployment has', async () => {
    const webhook = await add();
    await addPet();
    await post(`/${webhook.id}/test`);
    await receiver.received(2);
    const [event] = await service.app.get(EventStore).readStream('pet-1');
    const ids = receiver.messages.map(({ headers }) => String(headers['webhook-id']));
    expect(ids).toContain(`wh${webhook.id}_${event?.position}_${event?.eventId.replaceAll('-', '').slice(0, 12)}`);
    const askedAt = service.clock.now().getTime().toString(16).padStart(12, '0');
    expect(ids).toContainEqual(expect.stringMatching(new RegExp(`^wh${webhook.id}_9[0-9]{18}_${askedAt}$`)));
  });

  it('waits as long as the receiver asks for', async () => {
    receiver.answer(status(503, { 'retry-after': '7200' }));
    const webhook = await add();
    await addPet();
    const [failed] = await untilRecorded(webhook, 1);
    expect(Date.parse(failed?.nextAttemptAt ?? '') - Date.parse(failed?.attemptedAt ?? '')).toBe(7_200_000);
  });

  it('is given up after ten attempts, and recovered by a replay', async () => {
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
    const replayed = await post(`/${webhook.id}/replay?after=0`);
    expect([replayed.status, replayed.json()]).toEqual([202, { events: 1 }]);
    await receiver.received(11);
    expect(receiver.told().at(-1)).toBe(`pet.added pets/${pet}`);
    expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it.each([
    ['gone', status(410), 0],
    ['failing', status(500), 6 * 24 * 3_600_000],
  ])(
    'ends when it is %s, which is an event, and begins at the end of the log when it is turned on again',
    async (reason, answer, later) => {
      receiver.answer(answer);
      const webhook = await add();
      await addPet();
      await receiver.received(1);
      await untilRecorded(webhook, 1);
      if (later > 0) {
        service.clock.advance(later);
        await receiver.received(2);
      }
      for (;;) {
        const shown = (await service.send('GET', `/${webhook.id}`)).json<WebhookBody>();
        if (!shown.enabled) {
          expect(shown.disabledReason).toBe(reason);
          break;
        }
      }
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
    },
  );

  it('may be a test, which is tried once and counts for nothing', async () => {
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
  });

  it('has the documented form if it is a test, with an id that is no position and a schema that exists', async () => {
    const webhook = await add();
    await post(`/${webhook.id}/test`);
    const [message] = await receiver.received(1);
    const event = JSON.parse(message?.body ?? '') as TestEvent;
    const document = (await service.client.get('/openapi.json')).json<OpenApiDocument & { readonly webhooks: DescribedTest }>();
    const { schema } = document.webhooks['webhook.test'].post.requestBody.content['application/cloudevents+json'];
    const described = new DescribedService(document);
    expect(described.faultOf(schema, event)).toBeUndefined();
    expect(described.faultOf(schema, { ...event, id: 'test-1' })).toContain('id');
    // Positions begin at 1, and receivers may tell events apart by their ids.
    expect(event.id).toMatch(/^9\d{18}$/);
    expect(event.sequence).toBe(event.id);
    const { pathname } = new URL(event.dataschema);
    expect(pathname).toBe('/schemas/webhook.test/1');
    const dataSchema = (await service.client.get(pathname)).json<object>();
    expect(dataSchema).toMatchObject({ $id: event.dataschema });
    expect(described.faultOf(dataSchema, event.data)).toBeUndefined();
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

  it('is signed with both secrets while one is replaced, and then with only the new one', async () => {
    service.clock.set(new Date());
    const { id, secret: first = '' } = await add();
    const { secret: second = '' } = (await post(`/${id}/rotate-secret?grace=1h`)).json<WebhookBody>();
    await addPet();
    await receiver.received(1);
    service.clock.advance(3_600_000);
    await addPet();
    const [both, one] = await receiver.received(2);
    expect(both?.headers['webhook-signature']?.toString().split(' ')).toHaveLength(2);
    expect(one?.headers['webhook-signature']?.toString().split(' ')).toHaveLength(1);
    const verify = (secret: string, message = both) =>
      new Verifier(secret).verify(message?.body ?? '', message?.headers as Record<string, string>);
    expect(verify(first)).toEqual(verify(second));
    expect(() => verify(first, one)).toThrow();
  });

  it('falls silent with its key, while that of a banned one continues', async () => {
    const other = await startReceiver();
    await add();
    await service.add({ url: other.url }, { key: service.neighbour });
    const end = new Date(service.clock.now().getTime() + 3_600_000);
    const ban = { id: service.ownerId + 1n, until: end, step: 1, unbans: 0, metadata: { actor: 'system' } };
    await service.app.get(CommandBus).execute(new BanApiKey(ban));
    await addPet();
    await Promise.all([receiver.received(1), other.received(1)]);
    await runHere(service.backend, ['keys', 'revoke', `${service.ownerId}`]);
    await until(() => service.app.get(DeliveryProcess, { strict: false }).endpointCount === 1);
    await addPet();
    await other.received(2);
    expect(receiver.messages).toHaveLength(1);
  });

  it('goes to 99 others in time while one does not answer', async () => {
    const silent = await startReceiver(() => undefined);
    await service.add({ url: silent.url });
    for (let other = 1; other < 100; other += 1) await add({ description: `other ${other}` });
    const pets = [await addPet(), await addPet(), await addPet()];
    await receiver.received(3 * 99);
    const told = new Map<string, string[]>();
    for (const [index, { headers }] of receiver.messages.entries()) {
      const [endpoint = ''] = String(headers['webhook-id']).split('_');
      told.set(endpoint, [...(told.get(endpoint) ?? []), receiver.told()[index] ?? '']);
    }
    expect(told.size).toBe(99);
    for (const ofEndpoint of told.values()) expect(ofEndpoint).toEqual(pets.map((pet) => `pet.added pets/${pet}`));
    expect(silent.messages).toHaveLength(1);
  });

  it('is replayed even if nothing was sent yet, and nothing waits once it is turned off', async () => {
    const pet = await addPet();
    const webhook = await add();
    expect((await post(`/${webhook.id}/replay?after=0`)).json()).toEqual({ events: 1 });
    await receiver.received(1);
    expect(receiver.told()).toEqual([`pet.added pets/${pet}`]);
    receiver.answer(status(500));
    await addPet();
    const [failed] = await untilRecorded(webhook, 2);
    receiver.answer(status(200));
    await service.send('PATCH', `/${webhook.id}`, { body: { enabled: false } });
    await service.send('PATCH', `/${webhook.id}`, { body: { enabled: true } });
    service.clock.set(failed?.nextAttemptAt ?? '');
    const last = await addPet();
    await receiver.received(3);
    expect(receiver.told().at(-1)).toBe(`pet.added pets/${last}`);
  });
});
