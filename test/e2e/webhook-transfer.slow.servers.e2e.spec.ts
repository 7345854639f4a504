import { openTransfer, type TransferUnderTest } from './transfer.fixture.js';
import { ADDRESS, startWebhooks, type WebhookBody } from './webhooks.fixture.js';

describe('a transfer of the database', () => {
  let databases: TransferUnderTest;
  beforeEach(async () => (databases = await openTransfer()));
  afterEach(() => databases.remove());

  it('takes webhook endpoints along, with the secrets that sign', async () => {
    await databases.onSource('keys', 'create', '--name', 'owner', '--scopes', 'webhooks,events');
    const created = await databases.onSource('webhooks', 'create', '--key', '1', '--url', ADDRESS, '--types', 'pet.added');
    const { id, secret } = JSON.parse(created.stdout) as WebhookBody;
    const rotated = await databases.onSource('webhooks', 'rotate-secret', `${id}`);
    const { secret: second } = JSON.parse(rotated.stdout) as WebhookBody;
    const list = await databases.onSource('webhooks', 'list');
    expect(await databases.transfer()).toMatchObject({ code: 0, stderr: '' });
    expect(await databases.onTarget('webhooks', 'list')).toEqual(list);
    const service = await startWebhooks({ environment: { DATABASE_URL: databases.target } });
    try {
      expect(await service.secretsOf(id)).toEqual([second, secret]);
    } finally {
      await service.close();
    }
  });
});
