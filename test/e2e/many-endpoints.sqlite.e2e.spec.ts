import { Database } from '#libs/database';
import { startReceiver } from './webhook-receiver.fixture.js';
import { startWebhooks } from './webhooks.fixture.js';

const ENDPOINTS = 50;

it('one event to 50 endpoints is recorded by few write transactions', async () => {
  const service = await startWebhooks({ polls: true, environment: { WEBHOOK_ALLOW_LOOPBACK: 'true' } });
  const receiver = await startReceiver();
  for (let index = 0; index < ENDPOINTS; index += 1) await service.add({ url: receiver.url });
  let transactions = 0;
  service.app.get(Database).onLock(() => (transactions += 1));
  await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
  await receiver.received(ENDPOINTS);
  for (let id = 1; id <= ENDPOINTS; id += 1) {
    while ((await service.send('GET', `/${id}/deliveries`)).json<unknown[]>().length === 0);
  }
  await service.close();
  await receiver.close();
  // That of the event is one; without a writer for all of them there were more than 50.
  expect(transactions).toBeLessThan(ENDPOINTS / 2);
});
