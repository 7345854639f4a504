import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startDeliveries, type DeliveringService, type DeliveryBody } from '../../../test/e2e/deliveries.fixture.js';
import { status, type WebhookReceiver } from '../../../test/e2e/webhook-receiver.fixture.js';
import { startWebhooks } from '../../../test/e2e/webhooks.fixture.js';

const HOUR = 3_600_000;

describe('a receiver that fails', () => {
  let service: DeliveringService;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    service = await startDeliveries({ WEBHOOK_TIMEOUT_SECONDS: '1' });
    ({ receiver } = service);
  });
  afterEach(() => service.close());

  it('without a response is recorded as a failure, and retried', async () => {
    receiver.answer(() => undefined);
    const webhook = await service.addEndpoint();
    await service.addAnyPet();
    const [failed] = await service.untilRecorded(webhook, 1);
    expect(failed).toMatchObject({ attempt: 1, error: 'no complete answer within 1 s', nextAttemptAt: expect.any(String) });
    expect(failed?.status).toBeUndefined();
  });

  it('for an hour is sent everything afterwards, each event under one id', async () => {
    receiver.answer(status(500));
    const webhook = await service.addEndpoint();
    const pets = [await service.addAnyPet(), await service.addAnyPet(), await service.addAnyPet()];
    const end = service.clock.now().getTime() + HOUR;
    for (let recorded = 3; ; recorded += 3) {
      const newest = (await service.untilRecorded(webhook, recorded)).slice(0, 3);
      const next = Math.max(...newest.map(({ nextAttemptAt = '' }) => Date.parse(nextAttemptAt)));
      if (next > end) receiver.answer(status(200));
      service.clock.set(new Date(next));
      if (next > end) break;
    }
    const before = receiver.messages.length;
    await receiver.received(before + 3);
    expect(receiver.told().slice(before).sort()).toEqual(pets.map((pet) => `pet.added pets/${pet}`));
    expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('at an address that may not be sent to any more is not connected to', async () => {
    const strict = await startWebhooks({ polls: true });
    try {
      const added = await runHere({ ...strict.backend, WEBHOOK_ALLOW_LOOPBACK: 'true' }, [
        ...['webhooks', 'create', '--key', `${strict.ownerId}`, '--url', receiver.url],
      ]);
      expect(added.code).toBe(0);
      await strict.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      for (;;) {
        const deliveries = (await strict.send('GET', '/1/deliveries')).json<DeliveryBody[]>();
        if (deliveries.length === 0) continue;
        expect(deliveries).toMatchObject([{ error: expect.stringContaining('public address'), nextAttemptAt: expect.any(String) }]);
        break;
      }
      expect(receiver.messages).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});
