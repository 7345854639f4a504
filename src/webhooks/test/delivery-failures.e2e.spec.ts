import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startReceiver, status, type AnswerMessage, type WebhookReceiver } from '../../../test/e2e/webhook-receiver.fixture.js';
import { startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

interface DeliveryBody {
  readonly id: number;
  readonly eventId: string;
  readonly attempt: number;
  readonly status?: number;
  readonly error?: string;
  readonly nextAttemptAt?: string;
}

const HOUR = 3_600_000;

describe('a receiver that fails', () => {
  let service: WebhookService;
  let receiver: WebhookReceiver;
  beforeEach(async () => {
    service = await startWebhooks({ polls: true, environment: { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_TIMEOUT_SECONDS: '1' } });
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await service.close();
    await receiver.close();
  });

  const addPet = async () => (await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).json<{ id: number }>().id;
  const deliveriesOf = async ({ id }: WebhookBody) => (await service.send('GET', `/${id}/deliveries?limit=100`)).json<DeliveryBody[]>();
  const untilRecorded = async (webhook: WebhookBody, count: number): Promise<DeliveryBody[]> => {
    for (;;) {
      const deliveries = await deliveriesOf(webhook);
      if (deliveries.length >= count) return deliveries;
    }
  };

  it.each<readonly [string, AnswerMessage, string]>([
    ['says nothing', () => undefined, 'no complete answer within 1 s'],
    [
      'says its answer byte by byte',
      (response) => {
        response.writeHead(200);
        const drop = setInterval(() => response.write('.'), 50);
        response.on('close', () => clearInterval(drop));
      },
      'no complete answer within 1 s',
    ],
    ['closes the connection', (response) => void response.destroy(), 'closed the connection before a complete answer'],
  ])('since it %s is told of as one, and tried again', async (_, answer, error) => {
    receiver.answer(answer);
    const webhook = await service.add({ url: receiver.url });
    await addPet();
    const [failed] = await untilRecorded(webhook, 1);
    expect(failed).toMatchObject({ attempt: 1, error, nextAttemptAt: expect.any(String) });
    expect(failed?.status).toBeUndefined();
  });

  it('for an hour is sent everything afterwards, each event under one id', async () => {
    receiver.answer(status(500));
    const webhook = await service.add({ url: receiver.url });
    const pets = [await addPet(), await addPet(), await addPet()];
    const end = service.clock.now().getTime() + HOUR;
    for (let recorded = 3; ; recorded += 3) {
      const newest = (await untilRecorded(webhook, recorded)).slice(0, 3);
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
