import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { webhookDecider, type WebhookChanges } from '../domain/webhook.decider.js';
import type { WebhookEvent } from '../domain/webhook.events.js';
import type { DisabledReason } from '../domain/webhook.js';

const values = { url: 'https://example.org/a', types: ['pet.added'], description: 'ours' };
const registered: WebhookEvent = { type: 'webhook-registered', data: { registeredBy: '7', ...values } };
const deleted: WebhookEvent = { type: 'webhook-deleted', data: {} };
const enabled: WebhookEvent = { type: 'webhook-enabled', data: {} };
const disabled = (reason: DisabledReason): WebhookEvent => ({ type: 'webhook-disabled', data: { reason } });
const change = (changes: WebhookChanges) => ({ kind: 'change', id: 1n, changes }) as const;

describe('a webhook endpoint', () => {
  it('is registered, turned off at once where that is asked for', () => {
    const register = { kind: 'register', registeredBy: 7n, values } as const;
    given(webhookDecider)
      .when({ ...register, enabled: true })
      .then(registered);
    given(webhookDecider)
      .when({ ...register, enabled: false })
      .then(registered, disabled('owner'));
  });

  it('is changed by what is given, told as a whole', () => {
    const url = 'https://example.org/b';
    given(webhookDecider, registered)
      .when(change({ url }))
      .then({ type: 'webhook-changed', data: { ...values, url } });
    given(webhookDecider, registered)
      .when(change({ types: null, description: null }))
      .then({ type: 'webhook-changed', data: { url: values.url } });
    given(webhookDecider, registered)
      .when(change({ types: ['pet.added', 'pet.changed'], enabled: false }))
      .then({ type: 'webhook-changed', data: { ...values, types: ['pet.added', 'pet.changed'] } }, disabled('owner'));
  });

  it.each<WebhookChanges>([{}, values, { enabled: true }, { types: ['pet.added'] }])('stays as it is by %j', (changes) => {
    given(webhookDecider, registered).when(change(changes)).then();
  });

  it('is turned off and on, and keeps the reason that it has', () => {
    given(webhookDecider, registered)
      .when(change({ enabled: false }))
      .then(disabled('owner'));
    for (const reason of ['gone', 'failing', 'owner'] as const) {
      given(webhookDecider, registered, disabled(reason))
        .when(change({ enabled: false }))
        .then();
      given(webhookDecider, registered, disabled(reason))
        .when(change({ enabled: true }))
        .then(enabled);
    }
  });

  it.each(['gone', 'failing'] as const)('is disabled as %s while it is enabled, and never once it is deleted', (reason) => {
    const disable = { kind: 'disable', id: 1n, reason } as const;
    given(webhookDecider, registered).when(disable).then(disabled(reason));
    given(webhookDecider, registered, disabled('owner'), enabled).when(disable).then(disabled(reason));
    given(webhookDecider, registered, disabled('owner')).when(disable).then();
    given(webhookDecider, registered, deleted).when(disable).then();
    given(webhookDecider).when(disable).thenRefused('not_found');
  });

  it('is not there before it is registered, nor once it is deleted', () => {
    given(webhookDecider, registered).when({ kind: 'delete', id: 1n }).then(deleted);
    for (const past of [[], [registered, deleted]]) {
      for (const kind of ['delete', 'change', 'rotate-secret'] as const) {
        given(webhookDecider, ...past)
          .when({ kind, id: 1n, changes: {}, previousValidUntil: null })
          .thenRefused('not_found');
      }
    }
  });

  it('passes over what a newer build has written', () => {
    const stateAfterAll = (events: readonly WebhookEvent[]) =>
      events.reduce((state, event) => webhookDecider.evolve(state, event), webhookDecider.initialState);
    const changed: WebhookEvent = { type: 'webhook-changed', data: { url: values.url } };
    const history = [registered, disabled('failing'), enabled, changed];
    fc.assert(
      fc.property(withNewerEvents(history), (events) => {
        expect(stateAfterAll(events)).toEqual({ kind: 'present', registeredBy: 7n, url: values.url, enabled: true });
      }),
    );
  });
});
