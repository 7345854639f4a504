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

/** Returns a secret in the form that the receiver is given: `whsec_` and the bytes in base64. */
export function createWebhookSecret(bytes: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(bytes).toString('base64');
}

/** Returns the headers by which a receiver verifies that a message is authentic and recent (Standard Webhooks 1.0). */
export function signatureHeaders({ id, timestamp, body, secrets }: SignedMessage): Readonly<Record<string, string>> {
  const seconds = Math.floor(timestamp.getTime() / 1_000).toString();
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`, 'utf8').digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}
