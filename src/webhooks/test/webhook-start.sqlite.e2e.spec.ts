import { EventStore } from '#libs/event-sourcing';
import { startWebhooks, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';
import { WebhookReader } from '../read-model/webhook.reader.js';

describe('where a webhook endpoint begins', () => {
  let service: WebhookService;
  beforeAll(async () => (service = await startWebhooks()));
  afterAll(() => service.close());

  it('is the log position at which it was registered or enabled last', async () => {
    const { id } = await service.add({ enabled: false });
    const change = (body: object) => service.send('PATCH', `/${id}`, { body });
    const expectStart = async (type: string) => {
      const events = await service.app.get(EventStore).readStream(`webhook-${id}`);
      const { startsAfter } = await service.app.get(WebhookReader, { strict: false }).get(BigInt(id));
      expect(startsAfter).toBe(events.findLast((event) => event.type === type)?.position);
    };
    await expectStart('webhook-registered');
    await change({ description: 'x' });
    await expectStart('webhook-registered');
    for (const description of ['1', '2']) {
      await change({ enabled: true, description });
      await expectStart('webhook-enabled');
      await change({ enabled: false });
      await service.send('POST', `/${id}/rotate-secret`);
      await expectStart('webhook-enabled');
    }
  });
});
