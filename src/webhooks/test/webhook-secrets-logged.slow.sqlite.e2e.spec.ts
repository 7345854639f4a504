import { ApiClient } from '../../../test/e2e/api-client.fixture.js';
import {
  createWorkingDirectory,
  startBuiltService,
  type BuiltService,
  type WorkingDirectory,
} from '../../../test/e2e/built-service.fixture.js';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { ADDRESS, WEBHOOKS, type WebhookBody } from '../../../test/e2e/webhooks.fixture.js';

describe('the log of a service', () => {
  let folder: WorkingDirectory;
  let service: BuiltService;
  beforeEach(async () => {
    folder = await createWorkingDirectory();
    service = await startBuiltService(folder.path, { LOG_LEVEL: 'trace' });
  });
  afterEach(async () => {
    await service.stop('SIGKILL');
    await folder.remove();
  });

  it('holds no secret of a webhook endpoint, nor where it sends to, whatever is done with it', async () => {
    const created = await runHere(folder.backend, ['keys', 'create', '--name', 'owner', '--scopes', 'webhooks,events,graphql']);
    const client = new ApiClient(service.origin, (JSON.parse(created.stdout) as { key: string }).key);
    const added = (await client.post(WEBHOOKS, { url: ADDRESS })).json<WebhookBody>();
    const rotated = (await client.send('POST', `${WEBHOOKS}/${added.id}/rotate-secret`)).json<WebhookBody>();
    await client.send('PATCH', `${WEBHOOKS}/${added.id}`, { body: { url: 'x' } });
    await client.post(WEBHOOKS, { url: ADDRESS, secret: rotated.secret });
    await client.post('/graphql', { query: '{ webhooks { nodes { url } } }' });
    await client.send('DELETE', `${WEBHOOKS}/${added.id}`);
    client.close();
    expect(await service.stop('SIGTERM')).toBe(0);
    const log = service.output();
    expect(log).toContain(`${WEBHOOKS}/:webhookId/rotate-secret`);
    for (const { secret = '' } of [added, rotated]) {
      expect(secret).toMatch(/^whsec_/);
      expect(log).not.toContain(secret.slice('whsec_'.length));
    }
    expect(log).not.toContain('whsec_');
    expect(log).not.toContain(ADDRESS);
  });
});
