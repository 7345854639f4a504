import { AdoptionError } from './adoption-error.js';
import type { WebhookEvent } from './document.js';
import { readIdOf, readJson, type IdForm, type IdOf } from './integers.js';

/** As Node, Express and fetch have them; the names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions<Form extends IdForm> {
  /** The type of int64 in the event. Default: `bigint`. */
  readonly ids?: Form | undefined;
}

/** How far the clocks of sender and receiver may be apart, in seconds, as the libraries of Standard Webhooks have it. */
const TOLERANCE = 300;
const SECRET_PREFIX = 'whsec_';
const SIGNATURE_PREFIX = 'v1,';

/**
 * The event of a webhook's request, once it is sure that the service has sent it, within the last 5 minutes (Standard Webhooks 1.0).
 * @param secret as it was shown when the endpoint was added
 * @param body exactly as it came, not parsed
 * @throws AdoptionError `not_genuine`; TypeError for a secret or a body that is none
 */
export async function verifyWebhook<Form extends IdForm = 'bigint'>(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { ids }: VerifyOptions<Form> = {},
): Promise<WebhookEvent<IdOf<Form>>> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('body must be the raw request body, a string or bytes, not a parsed object.');
  }
  const key = secret.startsWith(SECRET_PREFIX) ? bytesOf(secret.slice(SECRET_PREFIX.length)) : undefined;
  if (!key) throw new TypeError(`secret must be ${SECRET_PREFIX} followed by a key in base64.`);
  const id = valueOf(headers, 'webhook-id');
  const time = valueOf(headers, 'webhook-timestamp');
  const signatures = valueOf(headers, 'webhook-signature');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const isRecent = /^\d+$/.test(time) && Math.abs(Date.now() / 1_000 - Number(time)) <= TOLERANCE;
  if (!isRecent || !(await isSigned(key, signatures, joined(`${id}.${time}.`, bytes)))) {
    throw new AdoptionError({
      status: 0,
      code: 'not_genuine',
      message: 'The signature does not match this secret, or its timestamp is more than 5 minutes away.',
    });
  }
  return readJson(new TextDecoder().decode(bytes), readIdOf(ids)) as WebhookEvent<IdOf<Form>>;
}

/** Whether one of the signatures is that of the message; there are two while a secret is being rotated. */
async function isSigned(secret: Uint8Array<ArrayBuffer>, signatures: string, message: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['verify']);
  const given = signatures.split(' ').filter((signature) => signature.startsWith(SIGNATURE_PREFIX));
  const results = given.map(async (signature) => {
    const bytes = bytesOf(signature.slice(SIGNATURE_PREFIX.length));
    // Compares in constant time.
    return bytes !== undefined && crypto.subtle.verify('HMAC', key, bytes, message);
  });
  return (await Promise.all(results)).includes(true);
}

function valueOf(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers) ? headers.get(name) : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  return String(value ?? '');
}

/** Also those of another implementation of fetch. */
function isHeaders(headers: WebhookHeaders): headers is Headers {
  return typeof headers['get'] === 'function';
}

function joined(text: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(text);
  const all = new Uint8Array(start.length + bytes.length);
  all.set(start);
  all.set(bytes, start.length);
  return all;
}

/** Undefined unless it is base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
