/** Why an endpoint gets no events: its receiver said that it is gone, it failed for too long, or its owner has turned it off. */
export const DISABLED_REASONS = ['gone', 'failing', 'owner'] as const;

export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** What a key needs to be sent events: an endpoint of its own, and the right to read what it is sent. */
export const SENDING_SCOPES = ['webhooks', 'events'] as const;

/** Why nothing is sent to an endpoint that is enabled: its API key lacks a scope, has expired or is revoked. */
export const SILENT_REASONS = ['key'] as const;

export type SilentReason = (typeof SILENT_REASONS)[number];

/** What its owner decides of an endpoint. */
export interface WebhookValues {
  readonly url: string;
  /** The names of public event types; absent for all of them, those of later builds too. */
  readonly types?: readonly string[];
  readonly description?: string;
}

/** What is known of an endpoint besides its id, as its events tell it. */
export interface WebhookDetails extends WebhookValues {
  /** The number of the API key that it belongs to. */
  readonly registeredBy: bigint;
  readonly enabled: boolean;
  /** Absent where it is enabled. */
  readonly disabledReason?: DisabledReason;
}

/** An endpoint as it is. */
export interface WebhookSnapshot extends WebhookDetails {
  readonly id: bigint;
  readonly createdAt: Date;
  /** How many events it has, from 1. */
  readonly version: number;
}

/** An endpoint as REST shows it; never its secret. */
export interface Webhook extends Omit<WebhookDetails, 'registeredBy' | 'types'> {
  readonly id: bigint;
  readonly types: readonly string[];
  /** Absent where it is disabled, and where its key may be sent events. */
  readonly silentReason?: SilentReason;
  readonly createdAt: Date;
}

/** An endpoint as operators see it: whose it is, too. */
export interface WebhookView extends Webhook {
  readonly registeredBy: bigint;
}

/** The category of the streams of endpoints, one stream an endpoint. */
export const WEBHOOK_CATEGORY = 'webhook';

/** The stream of the endpoint with this id, such as `webhook-17`. */
export function webhookStream(id: bigint): string {
  return `${WEBHOOK_CATEGORY}-${id}`;
}

/** The id of the endpoint whose stream this is. */
export function webhookIdOf(stream: string): bigint {
  return BigInt(stream.slice(WEBHOOK_CATEGORY.length + 1));
}

/**
 * The endpoint as operators see it.
 * @param allTypes the names that one for all types shows
 */
export function viewOf(snapshot: WebhookSnapshot, allTypes: readonly string[]): WebhookView {
  const { id, registeredBy, url, types = allTypes, description, enabled, disabledReason, createdAt } = snapshot;
  return {
    id,
    registeredBy,
    url,
    types,
    ...(description !== undefined && { description }),
    enabled,
    ...(disabledReason && { disabledReason }),
    createdAt,
  };
}

/** The endpoint with why nothing is sent to it though it is enabled, if its key may not be sent events. */
export function withSilence<View extends Pick<Webhook, 'enabled' | 'silentReason'>>(webhook: View, maySend: boolean): View {
  return webhook.enabled && !maySend ? { ...webhook, silentReason: 'key' } : webhook;
}

/** The endpoint as its owner sees it. */
export function webhookOf({ registeredBy: _registeredBy, ...webhook }: WebhookView): Webhook {
  return webhook;
}
