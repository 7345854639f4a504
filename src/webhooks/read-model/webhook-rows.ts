import type { DisabledReason, WebhookSnapshot } from '../domain/webhook.js';

/** The columns of the table of endpoints, in the order of `valuesOf`. Times are in milliseconds since 1970. */
export const WEBHOOK_COLUMNS = [
  'id',
  'key_id',
  'url',
  'types',
  'description',
  'enabled',
  'disabled_reason',
  'created_at',
  'starts_after',
  'version',
] as const;

/** An endpoint as its row tells it. */
export interface StoredWebhook extends WebhookSnapshot {
  /** The position of the event that it was last registered or enabled with: only what comes behind it is sent. */
  readonly startsAfter: bigint;
}

type Integer = bigint | string;

/** A row as a driver gives it. */
export interface WebhookRow {
  readonly id: Integer;
  readonly key_id: Integer;
  readonly url: string;
  /** As JSON; null for all types. */
  readonly types: string | null;
  readonly description: string | null;
  readonly enabled: Integer;
  readonly disabled_reason: DisabledReason | null;
  readonly created_at: Integer;
  readonly starts_after: Integer;
  readonly version: Integer;
}

export function valuesOf(webhook: StoredWebhook) {
  const { id, registeredBy, url, types, description, enabled, disabledReason, createdAt, startsAfter, version } = webhook;
  return [
    id,
    registeredBy,
    url,
    types ? JSON.stringify(types) : null,
    description ?? null,
    enabled ? 1 : 0,
    disabledReason ?? null,
    createdAt.getTime(),
    startsAfter,
    version,
  ];
}

export function storedWebhookOf(row: WebhookRow): StoredWebhook {
  return {
    id: BigInt(row.id),
    registeredBy: BigInt(row.key_id),
    url: row.url,
    ...(row.types !== null && { types: JSON.parse(row.types) as string[] }),
    ...(row.description !== null && { description: row.description }),
    enabled: Number(row.enabled) === 1,
    ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
    createdAt: new Date(Number(row.created_at)),
    startsAfter: BigInt(row.starts_after),
    version: Number(row.version),
  };
}
