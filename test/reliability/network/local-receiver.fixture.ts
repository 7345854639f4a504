import type { ServerHost } from '../../databases/server-host.js';
import { startReceiver, status, type WebhookReceiver } from '../../e2e/webhook-receiver.fixture.js';
import { startProgram } from './host-program.fixture.js';

/** A receiver that an instance finds on its own host, at this port of it, so that its messages are those of this instance. */
export async function startLocalReceiver(host: ServerHost, port: number, testsAddress: string): Promise<WebhookReceiver> {
  const receiver = await startReceiver(status(204), testsAddress);
  await startProgram(host, 'forward-port.mjs', `${port}`, testsAddress, new URL(receiver.url).port);
  return receiver;
}
