import type { Decider } from '#libs/event-sourcing';
import { WebhookNotFoundError } from './webhook.errors.js';
import type { WebhookEvent } from './webhook.events.js';
import type { DisabledReason, WebhookDetails, WebhookValues } from './webhook.js';

/** Undefined before it is registered and after it is deleted. */
export type WebhookState = WebhookDetails | undefined;

/** Changes of an endpoint: what is undefined stays as it is, what is null is removed. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly enabled?: boolean | undefined;
}

export type WebhookCommand =
  | { readonly kind: 'register'; readonly registeredBy: bigint; readonly values: WebhookValues; readonly enabled: boolean }
  // `previousValidUntil` is when the previous secret expires; null: it and all older ones expire at once.
  | { readonly kind: 'rotate-secret'; readonly id: bigint; readonly previousValidUntil: Date | null }
  | { readonly kind: 'change'; readonly id: bigint; readonly changes: WebhookChanges }
  | { readonly kind: 'disable'; readonly id: bigint; readonly reason: Exclude<DisabledReason, 'owner'> }
  | { readonly kind: 'delete'; readonly id: bigint };

/** The rules of a webhook endpoint. A command that changes nothing gives no event; a disabled endpoint keeps its reason. */
export const webhookDecider: Decider<WebhookState, WebhookCommand, WebhookEvent> = { initialState: undefined, decide, evolve };

function decide(command: WebhookCommand, webhook: WebhookState): WebhookEvent[] {
  if (command.kind === 'register') {
    const { registeredBy, values, enabled } = command;
    return [
      { type: 'webhook-registered', data: { registeredBy: registeredBy.toString(), ...values } },
      ...(enabled ? [] : [disabled('owner')]),
    ];
  }
  if (!webhook) throw new WebhookNotFoundError(command.id);
  switch (command.kind) {
    case 'change':
      return [...change(command.changes, webhook), ...turn(command.changes.enabled, webhook)];
    case 'disable':
      return webhook.enabled ? [disabled(command.reason)] : [];
    case 'rotate-secret':
      return [{ type: 'webhook-secret-rotated', data: { previousValidUntil: command.previousValidUntil?.toISOString() ?? null } }];
    case 'delete':
      return [{ type: 'webhook-deleted', data: {} }];
  }
}

function change({ url, types, description }: WebhookChanges, before: WebhookValues): WebhookEvent[] {
  const values = pickValues({
    url: url ?? before.url,
    types: types === undefined ? before.types : types,
    description: description === undefined ? before.description : description,
  });
  // Both have their members in the same order.
  return JSON.stringify(values) === JSON.stringify(pickValues(before)) ? [] : [{ type: 'webhook-changed', data: values }];
}

/** Removes members that are undefined or null, and members that a newer build has added. */
function pickValues({ url, types, description }: WebhookChanges & { readonly url: string }): WebhookValues {
  return { url, ...(types && { types }), ...(typeof description === 'string' && { description }) };
}

function turn(enabled: boolean | undefined, before: WebhookDetails): WebhookEvent[] {
  if (enabled === undefined || enabled === before.enabled) return [];
  return enabled ? [{ type: 'webhook-enabled', data: {} }] : [disabled('owner')];
}

function disabled(reason: DisabledReason): WebhookEvent {
  return { type: 'webhook-disabled', data: { reason } };
}

function evolve(webhook: WebhookState, event: WebhookEvent): WebhookState {
  if (event.type === 'webhook-registered') {
    return { registeredBy: BigInt(event.data.registeredBy), ...pickValues(event.data), enabled: true };
  }
  if (!webhook) return undefined;
  const { registeredBy, enabled, disabledReason, ...values } = webhook;
  switch (event.type) {
    case 'webhook-changed':
      return { registeredBy, enabled, ...(disabledReason && { disabledReason }), ...pickValues(event.data) };
    case 'webhook-enabled':
      return { registeredBy, ...values, enabled: true };
    case 'webhook-disabled':
      return { registeredBy, ...values, enabled: false, disabledReason: event.data.reason };
    case 'webhook-deleted':
      return undefined;
    default:
      // A newer build may have written an unknown event.
      return webhook;
  }
}
