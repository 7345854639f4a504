import { until } from '#libs/testing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startDeliveries, type DeliveringService } from '../../../test/e2e/deliveries.fixture.js';
import { ADDRESS, type WebhookBody } from '../../../test/e2e/webhooks.fixture.js';
import { DeliveryProcess } from '../delivery/delivery-process.js';

describe('a key with the scope webhooks and without events', () => {
  let service: DeliveringService;
  let webhook: WebhookBody;
  const change = (turn: 'add-scope' | 'remove-scope') => runHere(service.backend, ['keys', turn, `${service.ownerId}`, 'events']);
  const silentReason = async () => (await service.send('GET', `/${webhook.id}`)).json<WebhookBody>().silentReason;
  beforeEach(async () => {
    service = await startDeliveries();
    webhook = await service.addEndpoint();
    await service.addAnyPet();
    await service.receiver.received(1);
    await change('remove-scope');
    await until(async () => (await silentReason()) === 'key');
  });
  afterEach(() => service.close());

  it('has nothing sent, which its endpoints say, and has it all sent once it has that scope', async () => {
    await service.app.get(DeliveryProcess, { strict: false }).wake();
    await service.addAnyPet();
    expect(service.receiver.messages).toHaveLength(1);
    await change('add-scope');
    await service.receiver.received(2);
    await until(async () => (await silentReason()) === undefined);
  });

  it('adds and changes no endpoint, and has none tried and nothing sent again, but deletes it as it sees it', async () => {
    const answers = [
      await service.send('POST', '', { body: { url: ADDRESS } }),
      await service.send('PATCH', `/${webhook.id}`, { body: { description: 'x' } }),
      await service.send('POST', `/${webhook.id}/test`),
      await service.send('POST', `/${webhook.id}/replay?after=0`),
      await service.send('POST', `/${webhook.id}/deliveries/1/redeliver`),
    ];
    for (const answer of answers) {
      expect(answer.json()).toMatchObject({ code: 'insufficient_scope', status: 403 });
      expect(answer.text).toContain('lacks the scope events');
      expect(answer.headers['www-authenticate']).toContain('scope="events"');
    }
    const created = await runHere(service.backend, ['webhooks', 'create', '--key', `${service.ownerId}`, '--url', ADDRESS]);
    expect(created).toMatchObject({ code: 1, stdout: '' });
    expect(created.stderr).toContain('--key must be an API key with the scopes webhooks and events');
    const { headers } = await service.send('GET', `/${webhook.id}`);
    const deleted = await service.send('DELETE', `/${webhook.id}`, { headers: { 'if-match': String(headers.etag) } });
    expect(deleted.status).toBe(204);
  });
});
