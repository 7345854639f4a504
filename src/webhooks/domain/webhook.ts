/** Why an endpoint is disabled: its receiver responded 410, it failed for too long, or its owner disabled it. */
export const DISABLED_REASONS = ['gone', 'failing', 'owner'] as const;

export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The scopes that an API key needs to be sent events. */
export const SENDING_SCOPES = ['webhooks', 'events'] as const;

/** Why nothing is sent to an enabled endpoint: its API key lacks a scope, has expired or is revoked. */
export type SilentReason = 'key';

/** The values of an endpoint that its owner sets. */
export interface WebhookValues {
  readonly url: string;
  /** The names of public event types; absent for all, including those of later builds. */
  readonly types?: readonly string[];
  readonly description?: string;
}

export interface WebhookSnapshot extends WebhookValues {
  readonly id: bigint;
  /** The number of the API key that it belongs to. */
  readonly registeredBy: bigint;
  readonly enabled: boolean;
  /** Absent if it is enabled. */
  readonly disabledReason?: DisabledReason;
  readonly createdAt: Date;
}

/** An endpoint as its events tell it, without its id. */
export type WebhookDetails = Omit<WebhookSnapshot, 'id' | 'createdAt'>;

/** An endpoint as its row tells it. */
export interface StoredWebhook extends WebhookSnapshot {
  /** The position of the event that it was last registered or enabled with: only later events are sent. */
  readonly startsAfter: bigint;
  /** How many events its stream has. */
  readonly version: number;
}

/** An endpoint as operators see it; never its secret. */
export interface WebhookView extends WebhookSnapshot {
  readonly types: readonly string[];
  /** Absent if it is disabled or its key may be sent events. */
  readonly silentReason?: SilentReason;
}

/** An endpoint as its owner sees it. */
export type Webhook = Omit<WebhookView, 'registeredBy'>;

/** The category of the streams of endpoints, one stream an endpoint. */
export const WEBHOOK_CATEGORY = 'webhook';

/** The stream of the endpoint with this id, such as `webhook-17`. */
export function webhookStream(id: bigint): string {
  return `${WEBHOOK_CATEGORY}-${id}`;
}

/** Adds why nothing is sent to an enabled endpoint, unless its key may be sent events. */
export function withSilentReason<View extends Webhook>(webhook: View, maySend: boolean): View {
  return webhook.enabled && !maySend ? { ...webhook, silentReason: 'key' } : webhook;
}

/** Returns the endpoint as its owner sees it. */
export function toWebhook({ registeredBy: _registeredBy, ...webhook }: WebhookView): Webhook {
  return webhook;
}
