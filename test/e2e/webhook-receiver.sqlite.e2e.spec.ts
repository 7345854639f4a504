import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { signatureHeaders } from '../../src/webhooks/domain/webhook-signature.js';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from '../databases/free-port.fixture.js';
import { said } from './command-line.fixture.js';
import { fencedBlocks, readDocument } from './readme/readme-text.js';
import { startWebhooks, type WebhookService } from './webhooks.fixture.js';

const program = fencedBlocks(readDocument('docs/guides/webhooks.md')).find(({ introduction }) =>
  introduction.trim().endsWith('`receiver.mjs`:'),
);

describe('the receiver of the document', () => {
  let service: WebhookService;
  let url: string;
  let secret: string;
  let accepted: Promise<void>;
  beforeAll(async () => {
    service = await startWebhooks({ polls: true, environment: { WEBHOOK_ALLOW_LOOPBACK: 'true' } });
    service.clock.set(new Date());
    const port = await findFreePort();
    url = `http://127.0.0.1:${port}/`;
    ({ secret = '' } = await service.add({ url }));
    const folder = mkdtempSync(join(tmpdir(), 'adoption-receiver-'));
    closeAtEnd(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'receiver.mjs'), program?.text ?? '');
    const child = spawn(process.execPath, ['receiver.mjs'], { cwd: folder, env: { PORT: String(port), WEBHOOK_SECRET: secret } });
    closeAtEnd(async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    accepted = said(child.stdout, /pet\.added\n/);
    await until(() => fetch(url).catch(() => undefined));
  });
  afterAll(() => service.close());

  const send = async (changes: { readonly body?: string; readonly secondsAhead?: number; readonly secrets?: readonly string[] } = {}) => {
    const body = '{"type":"webhook.test"}';
    const timestamp = new Date(Date.now() + (changes.secondsAhead ?? 0) * 1_000);
    const headers = signatureHeaders({ id: 'wh1_1', timestamp, secrets: (changes.secrets ?? ['']).map((each) => each || secret), body });
    return (await fetch(url, { method: 'POST', headers, body: changes.body ?? body })).status;
  };
  const anotherSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;

  it('accepts what the service sends', async () => {
    await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    await accepted;
  });

  it.each([
    ['accepts a message as it was signed', {}, 204],
    ['accepts one that is signed with two secrets, of which it has one', { secrets: [anotherSecret, ''] }, 204],
    ['refuses a body that was changed', { body: '{"type":"webhook.tested"}' }, 400],
    ['refuses another secret', { secrets: [anotherSecret] }, 400],
    ['refuses a time more than five minutes ago', { secondsAhead: -301 }, 400],
    ['refuses a time more than five minutes ahead', { secondsAhead: 310 }, 400],
  ])('%s', async (_, changes, status) => {
    expect(await send(changes)).toBe(status);
  });
});
