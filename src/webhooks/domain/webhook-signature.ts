import { createHmac } from 'node:crypto';

/** How many random bytes a secret has. */
export const SECRET_RANDOM_BYTES = 32;

const SECRET_PREFIX = 'whsec_';

export interface SignedMessage {
  /** The same for each attempt to send the message; without a full stop. */
  readonly id: string;
  readonly timestamp: Date;
  /** Exactly as it is sent. */
  readonly body: string;
  /** Each makes one signature, in this order. */
  readonly secrets: readonly string[];
}

/** Returns the secret of an endpoint in the form that its receiver is given: `whsec_` and the bytes in base64. */
export function createWebhookSecret(randomBytes: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(randomBytes).toString('base64');
}

/** Returns the headers by which a receiver verifies that a message is authentic and recent (Standard Webhooks 1.0). */
export function signatureHeaders({ id, timestamp, body, secrets }: SignedMessage): Readonly<Record<string, string>> {
  const seconds = Math.floor(timestamp.getTime() / 1_000).toString();
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, `${id}.${seconds}.${body}`)}`).join(' '),
  };
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content, 'utf8').digest('base64');
}
