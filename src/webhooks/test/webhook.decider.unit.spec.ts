import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { webhookDecider } from '../domain/webhook.decider.js';
import type { WebhookEvent } from '../domain/webhook.events.js';
import type { DisabledReason } from '../domain/webhook.js';

const values = { url: 'https://example.org/a', types: ['pet.added'], description: 'ours' };
const registered: WebhookEvent = { type: 'webhook-registered', data: { registeredBy: '7', ...values } };
const deleted: WebhookEvent = { type: 'webhook-deleted', data: {} };
const enabled: WebhookEvent = { type: 'webhook-enabled', data: {} };
const disabled = (reason: DisabledReason): WebhookEvent => ({ type: 'webhook-disabled', data: { reason } });

describe('a webhook endpoint', () => {
  it.each(['gone', 'failing'] as const)('is disabled as %s while it is enabled, and not found once it is deleted', (reason) => {
    const disable = { kind: 'disable', id: 1n, reason } as const;
    given(webhookDecider, registered).when(disable).then(disabled(reason));
    given(webhookDecider, registered, disabled('owner'), enabled).when(disable).then(disabled(reason));
    given(webhookDecider, registered, disabled('owner')).when(disable).then();
    given(webhookDecider, registered, deleted).when(disable).thenRefused('not_found');
    given(webhookDecider).when(disable).thenRefused('not_found');
  });

  it('passes over what a newer build has written', () => {
    const stateAfterAll = (events: readonly WebhookEvent[]) =>
      events.reduce((state, event) => webhookDecider.evolve(state, event), webhookDecider.initialState);
    const changed: WebhookEvent = { type: 'webhook-changed', data: { url: values.url } };
    const history = [registered, disabled('failing'), enabled, changed];
    fc.assert(
      fc.property(withNewerEvents(history), (events) => {
        expect(stateAfterAll(events)).toEqual({ registeredBy: 7n, url: values.url, enabled: true });
      }),
    );
  });
});
