import type { Decider } from '#libs/event-store';
import { WebhookNotFoundError } from './webhook.errors.js';
import type { WebhookEvent } from './webhook.events.js';
import type { DisabledReason, WebhookDetails, WebhookValues } from './webhook.js';

export type WebhookState = { readonly kind: 'none' | 'deleted' } | ({ readonly kind: 'present' } & WebhookDetails);

/** What is to become of an endpoint: what is undefined stays as it is, what is null is taken away. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly enabled?: boolean | undefined;
}

export interface RegisterWebhook {
  readonly kind: 'register';
  readonly registeredBy: bigint;
  readonly values: WebhookValues;
  readonly enabled: boolean;
}

export interface RotateWebhookSecret {
  readonly kind: 'rotate-secret';
  readonly id: bigint;
  /** Until when the secret so far signs too; null: it and all older ones end at once. */
  readonly previousValidUntil: Date | null;
}

export type WebhookCommand =
  | RegisterWebhook
  | RotateWebhookSecret
  | { readonly kind: 'change'; readonly id: bigint; readonly changes: WebhookChanges }
  | { readonly kind: 'disable'; readonly id: bigint; readonly reason: Exclude<DisabledReason, 'owner'> }
  | { readonly kind: 'delete'; readonly id: bigint };

/** The rules of a webhook endpoint. What would change nothing gives no event; one that is disabled keeps its reason. */
export const webhookDecider: Decider<WebhookState, WebhookCommand, WebhookEvent> = {
  form: 'webhook 1',
  initialState: { kind: 'none' },
  decide,
  evolve,
};

function decide(command: WebhookCommand, state: WebhookState): WebhookEvent[] {
  if (command.kind === 'register') return register(command);
  // Its last attempts may end after it was deleted.
  if (command.kind === 'disable' && state.kind === 'deleted') return [];
  if (state.kind !== 'present') throw new WebhookNotFoundError(command.id);
  switch (command.kind) {
    case 'change':
      return [...change(command.changes, state), ...turn(command.changes.enabled, state)];
    case 'disable':
      return state.enabled ? [disabled(command.reason)] : [];
    case 'rotate-secret':
      return [rotated(command.previousValidUntil)];
    case 'delete':
      return [{ type: 'webhook-deleted', data: {} }];
  }
}

function register({ registeredBy, values, enabled }: RegisterWebhook): WebhookEvent[] {
  const registered: WebhookEvent = { type: 'webhook-registered', data: { registeredBy: registeredBy.toString(), ...values } };
  return enabled ? [registered] : [registered, disabled('owner')];
}

interface PossibleValues {
  readonly url: string;
  readonly types?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

function change(changes: WebhookChanges, before: WebhookValues): WebhookEvent[] {
  const types = changed(changes.types, before.types);
  const description = changed(changes.description, before.description);
  const values = valuesOf({ url: changes.url ?? before.url, types, description });
  const isSame = values.url === before.url && description === before.description && areSame(types, before.types);
  return isSame ? [] : [{ type: 'webhook-changed', data: values }];
}

/** Without what is undefined, and without what a newer build has added. */
function valuesOf({ url, types, description }: PossibleValues): WebhookValues {
  return { url, ...(types && { types }), ...(description !== undefined && { description }) };
}

function changed<Value>(change: Value | null | undefined, before: Value | undefined): Value | undefined {
  return change === undefined ? before : (change ?? undefined);
}

function areSame(types: readonly string[] | undefined, others: readonly string[] | undefined): boolean {
  if (!types || !others) return types === others;
  return types.length === others.length && types.every((type, index) => type === others[index]);
}

function turn(enabled: boolean | undefined, before: WebhookDetails): WebhookEvent[] {
  if (enabled === undefined || enabled === before.enabled) return [];
  return enabled ? [{ type: 'webhook-enabled', data: {} }] : [disabled('owner')];
}

function disabled(reason: DisabledReason): WebhookEvent {
  return { type: 'webhook-disabled', data: { reason } };
}

function rotated(previousValidUntil: Date | null): WebhookEvent {
  return { type: 'webhook-secret-rotated', data: { previousValidUntil: previousValidUntil?.toISOString() ?? null } };
}

function evolve(state: WebhookState, event: WebhookEvent): WebhookState {
  if (event.type === 'webhook-registered') {
    return { kind: 'present', registeredBy: BigInt(event.data.registeredBy), ...valuesOf(event.data), enabled: true };
  }
  if (state.kind !== 'present') return state;
  const { kind, registeredBy, enabled, disabledReason, ...values } = state;
  switch (event.type) {
    case 'webhook-changed':
      return { kind, registeredBy, enabled, ...(disabledReason && { disabledReason }), ...valuesOf(event.data) };
    case 'webhook-enabled':
      return { kind, registeredBy, ...values, enabled: true };
    case 'webhook-disabled':
      return { kind, registeredBy, ...values, enabled: false, disabledReason: event.data.reason };
    case 'webhook-deleted':
      return { kind: 'deleted' };
    default:
      // A newer build may have written what this one does not know.
      return state;
  }
}
