import type { Decider } from '#libs/event-sourcing';
import { WebhookNotFoundError } from './webhook.errors.js';
import type { WebhookEvent } from './webhook.events.js';
import type { DisabledReason, WebhookDetails, WebhookSnapshot, WebhookValues } from './webhook.js';

export type WebhookState = { readonly kind: 'none' | 'deleted' } | ({ readonly kind: 'present' } & WebhookDetails);

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
export const webhookDecider: Decider<WebhookState, WebhookCommand, WebhookEvent> = {
  initialState: { kind: 'none' },
  decide,
  evolve,
};

function decide(command: WebhookCommand, state: WebhookState): WebhookEvent[] {
  if (command.kind === 'register') {
    const { registeredBy, values, enabled } = command;
    return [
      { type: 'webhook-registered', data: { registeredBy: registeredBy.toString(), ...values } },
      ...(enabled ? [] : [disabled('owner')]),
    ];
  }
  // The last attempts to send to it may end after it was deleted.
  if (command.kind === 'disable' && state.kind === 'deleted') return [];
  if (state.kind !== 'present') throw new WebhookNotFoundError(command.id);
  switch (command.kind) {
    case 'change':
      return [...change(command.changes, state), ...turn(command.changes.enabled, state)];
    case 'disable':
      return state.enabled ? [disabled(command.reason)] : [];
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

function evolve(state: WebhookState, event: WebhookEvent): WebhookState {
  if (event.type === 'webhook-registered') {
    return { kind: 'present', registeredBy: BigInt(event.data.registeredBy), ...pickValues(event.data), enabled: true };
  }
  if (state.kind !== 'present') return state;
  const { kind, registeredBy, enabled, disabledReason, ...values } = state;
  switch (event.type) {
    case 'webhook-changed':
      return { kind, registeredBy, enabled, ...(disabledReason && { disabledReason }), ...pickValues(event.data) };
    case 'webhook-enabled':
      return { kind, registeredBy, ...values, enabled: true };
    case 'webhook-disabled':
      return { kind, registeredBy, ...values, enabled: false, disabledReason: event.data.reason };
    case 'webhook-deleted':
      return { kind: 'deleted' };
    default:
      // A newer build may have written an unknown event.
      return state;
  }
}

/** Returns the endpoint in this state of its stream; undefined before it is registered and after it is deleted. */
export function toShownWebhook(
  { id, createdAt }: Pick<WebhookSnapshot, 'id' | 'createdAt'>,
  state: WebhookState,
): WebhookSnapshot | undefined {
  if (state.kind !== 'present') return undefined;
  const { kind: _kind, ...details } = state;
  return { id, createdAt, ...details };
}
