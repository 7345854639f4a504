import { WebhookDisabledError, WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { StoredWebhook } from '../read-model/webhook-rows.js';
import type { WebhookReader } from '../read-model/webhook.reader.js';

/** An endpoint to which something can be sent. @throws WebhookNotFoundError, WebhookDisabledError */
export async function enabledWebhook(webhooks: WebhookReader, id: bigint): Promise<StoredWebhook> {
  const webhook = await webhooks.find(id);
  if (!webhook) throw new WebhookNotFoundError(id);
  if (!webhook.enabled) throw new WebhookDisabledError(id);
  return webhook;
}
