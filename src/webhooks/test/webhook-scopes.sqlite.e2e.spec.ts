import { expectEventually } from '#libs/testing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startDeliveries, type DeliveringService } from '../../../test/e2e/deliveries.fixture.js';
import { ADDRESS, type WebhookBody } from '../../../test/e2e/webhooks.fixture.js';
import { DeliveryProcess } from '../delivery/delivery-process.js';

describe('a key with the scope webhooks and without events', () => {
  let service: DeliveringService;
  let webhook: WebhookBody;
  const change = (turn: 'add-scope' | 'remove-scope') => runHere(service.backend, ['keys', turn, `${service.ownerId}`, 'events']);
  const silentReason = async () => (await service.send('GET', `/${webhook.id}`)).json<WebhookBody>().silentReason;
  beforeAll(async () => {
    service = await startDeliveries();
    webhook = await service.addEndpoint();
    await service.addAnyPet();
    await service.receiver.received(1);
    await change('remove-scope');
    await expectEventually(silentReason, 'key');
  });
  afterAll(() => service.close());

  it.each<[method: string, path: string, body?: object]>([
    ['POST', '', { url: ADDRESS }],
    ['PATCH', '/ID', { description: 'x' }],
    ['POST', '/ID/test'],
    ['POST', '/ID/replay?after=0'],
    ['POST', '/ID/deliveries/1/redeliver'],
  ])('is refused %s %s', async (method, path, body) => {
    const answer = await service.send(method, path.replace('ID', String(webhook.id)), { body });
    expect(answer.json()).toMatchObject({
      code: 'insufficient_scope',
      status: 403,
      message: expect.stringContaining('lacks the scope events'),
    });
    expect(answer.headers['www-authenticate']).toContain('scope="events"');
  });

  it('is refused an endpoint on the command line', async () => {
    const created = await runHere(service.backend, ['webhooks', 'create', '--key', `${service.ownerId}`, '--url', ADDRESS]);
    expect(created).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('with the scopes webhooks and events') });
  });

  it('has nothing sent, which its endpoints say, has it all sent once it has that scope, and deletes without it', async () => {
    await service.app.get(DeliveryProcess, { strict: false }).wake();
    await service.addAnyPet();
    const { code, stdout } = await runHere(service.backend, ['webhooks', 'show', `${webhook.id}`]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { enabled: true, silentReason: 'key' }]);
    const query = '{ webhooks { nodes { id enabled silentReason } } }';
    const asked = await service.client.post('/graphql', { query }, { key: service.tools });
    expect(asked.json()).toEqual({ data: { webhooks: { nodes: [{ id: `${webhook.id}`, enabled: true, silentReason: 'KEY' }] } } });
    expect(service.receiver.messages).toHaveLength(1);
    await change('add-scope');
    await service.receiver.received(2);
    await expectEventually(silentReason, undefined);
    await change('remove-scope');
    await expectEventually(silentReason, 'key');
    const { headers } = await service.send('GET', `/${webhook.id}`);
    const deleted = await service.send('DELETE', `/${webhook.id}`, { headers: { 'if-match': String(headers.etag) } });
    expect(deleted.status).toBe(204);
  });
});
