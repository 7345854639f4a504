import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { apiKeyDecider } from './api-key.decider.js';
import type { ApiKeyEvent, ApiKeyIssued } from './api-key.events.js';
import { choosePlan, readPlan, type Plan, type PlanChoice } from './plans.js';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const ID = 7n;
const ASKED = { id: ID, now: NOW, known: ['pets', 'graphql', 'orders'] } as const;
const NEWER_PLAN = 'team' as Plan;

const COMMON = { name: 'Shop', scopes: ['pets'], deployment: 'production', hash: 'first', keyStart: '1st4', expiresAt: null } as const;
const ISSUED: ApiKeyIssued = { type: 'api-key-issued', data: { plan: 'free', ...COMMON } };
const ISSUED_ENTERPRISE: ApiKeyIssued = { type: 'api-key-issued', data: { plan: 'enterprise', perMinute: 5, perDay: 9, ...COMMON } };
const EXPIRED: ApiKeyIssued = { type: 'api-key-issued', data: { plan: 'free', ...COMMON, expiresAt: NOW.toISOString() } };
const REVOKED: ApiKeyEvent = { type: 'api-key-revoked', data: {} };

describe('the rules of an API key', () => {
  it.each<[PlanChoice, number, number]>([
    [{ plan: 'free' }, 60, 1_000],
    [{ plan: 'pro' }, 300, 10_000],
    [{ plan: 'business' }, 1_000, 100_000],
    [{ plan: 'enterprise', perMinute: 5, perDay: 7 }, 5, 7],
  ])('has by the plan %j the limits %d and %d', (plan, perMinute, perDay) => {
    expect(readPlan(choosePlan(plan)).limits).toEqual({ perMinute, perDay });
  });

  it.each<[PlanChoice, number, number]>([
    [{ plan: NEWER_PLAN, perMinute: 5, perDay: 7 }, 5, 7],
    [{ plan: NEWER_PLAN }, 60, 1_000],
  ])('has by the plan %j of a newer build the limits %d and %d', (plan, perMinute, perDay) => {
    expect(readPlan(plan).limits).toEqual({ perMinute, perDay });
  });

  const change = ({ plan, ...limits }: PlanChoice) => ({ type: 'update', plan, limits, ...ASKED }) as const;

  it.each<[past: readonly ApiKeyEvent[], terms: PlanChoice, isRecorded: boolean]>([
    [[ISSUED], { plan: 'pro' }, true],
    [[ISSUED_ENTERPRISE], { plan: 'enterprise', perMinute: 5, perDay: 10 }, true],
    [[ISSUED], { plan: 'free' }, false],
    [[ISSUED_ENTERPRISE], { plan: 'enterprise', perMinute: 5, perDay: 9 }, false],
  ])('records after %j the plan %j: %s', (past, terms, isRecorded) => {
    const events = isRecorded ? [{ type: 'api-key-plan-changed', data: terms } as ApiKeyEvent] : [];
    given(apiKeyDecider, ...past)
      .when(change(terms))
      .then(...events);
  });

  it.each<[readonly ApiKeyEvent[], PlanChoice, string]>([
    [[ISSUED], { plan: 'enterprise', perDay: 2 }, 'invalid_request'],
    [[ISSUED], { plan: 'pro', perMinute: 2 }, 'invalid_request'],
    [[ISSUED, REVOKED], { plan: 'pro' }, 'key_ended'],
    [[], { plan: 'pro' }, 'not_found'],
  ])('refuses after %j the terms %j with %s', (past, terms, code) => {
    given(apiKeyDecider, ...past)
      .when(change(terms))
      .thenRefused(code);
  });

  describe('changing the scopes', () => {
    const add = (scope: string) => ({ type: 'add-scope', scope, ...ASKED }) as const;
    const remove = (scope: string) => ({ type: 'remove-scope', scope, ...ASKED }) as const;

    it('refuses a scope that does not exist, unless it is to be taken from a key that has another one too', () => {
      const removed = (...scopes: string[]): ApiKeyEvent => ({ type: 'api-key-scopes-changed', data: { scopes } });
      for (const wrong of [add('shelters'), remove('shelters')]) given(apiKeyDecider, ISSUED).when(wrong).thenRefused('invalid_request');
      given(apiKeyDecider, ISSUED, removed('shelters', 'pets')).when(remove('shelters')).then(removed('pets'));
      given(apiKeyDecider, ISSUED, removed('shelters')).when(remove('shelters')).thenRefused('invalid_request');
    });

    it('leaves a key with what all changes amount to, with an event for each that makes a difference, and never without a scope', () => {
      const change = fc.record({ type: fc.constantFrom('add-scope', 'remove-scope'), scope: fc.constantFrom(...ASKED.known) });
      fc.assert(
        fc.property(fc.array(change), (changes) => {
          let scopes = ['pets'];
          let past: readonly ApiKeyEvent[] = [ISSUED];
          for (const { type, scope } of changes) {
            const others = scopes.filter((each) => each !== scope);
            const after = type === 'remove-scope' ? others : [...new Set([...scopes, scope])];
            const asked = given(apiKeyDecider, ...past).when({ type, scope, ...ASKED });
            if (after.length === 0) asked.thenRefused('invalid_request');
            else if (after.length === scopes.length) asked.then();
            else {
              const event: ApiKeyEvent = { type: 'api-key-scopes-changed', data: { scopes: after } };
              asked.then(event);
              [scopes, past] = [after, [...past, event]];
            }
          }
        }),
      );
    });
  });

  it('end with the key: no change of one that is revoked, expired or not there, but revoking it again is no event', () => {
    const rotate = { type: 'rotate', hash: 'second', keyStart: '2nd4', grace: 0, ...ASKED } as const;
    const add = { type: 'add-scope', scope: 'graphql', ...ASKED } as const;
    for (const change of [rotate, add]) {
      given(apiKeyDecider, ISSUED, REVOKED).when(change).thenRefused('key_ended');
      given(apiKeyDecider).when(change).thenRefused('not_found');
    }
    given(apiKeyDecider, EXPIRED).when(rotate).thenRefused('key_ended');
    given(apiKeyDecider, ISSUED)
      .when({ type: 'revoke', ...ASKED })
      .then(REVOKED);
    given(apiKeyDecider, ISSUED, REVOKED)
      .when({ type: 'revoke', ...ASKED })
      .then();
  });

  it('has a ban lifted even if there is none, with a number above those that a log may have lost', () => {
    const lifted = (unbans: number): ApiKeyEvent => ({ type: 'api-key-unbanned', data: { unbans } });
    const unban = { type: 'unban', ...ASKED } as const;
    given(apiKeyDecider, ISSUED).when(unban).then(lifted(NOW.getTime()));
    given(apiKeyDecider, ISSUED, lifted(NOW.getTime() + 1))
      .when(unban)
      .then(lifted(NOW.getTime() + 2));
  });

  it('is not banned by what the limiter decided before its ban was lifted, or by what ends no later than the recorded ban', () => {
    const ban = (unbans: number) => ({ type: 'record-ban', until: NOW, step: 1, unbans, ...ASKED }) as const;
    const banned: ApiKeyEvent = { type: 'api-key-banned', data: { until: NOW.toISOString(), step: 1 } };
    const lifted: ApiKeyEvent = { type: 'api-key-unbanned', data: { unbans: 1 } };
    given(apiKeyDecider, ISSUED, lifted).when(ban(0)).then();
    given(apiKeyDecider, ISSUED, lifted).when(ban(1)).then(banned);
    given(apiKeyDecider, ISSUED, lifted, banned).when(ban(1)).then();
  });

  it('is what it is after any of its events, whatever a newer build has written between', () => {
    const fold = (events: readonly ApiKeyEvent[]) => events.reduce(apiKeyDecider.evolve, apiKeyDecider.initialState);
    const history: readonly ApiKeyEvent[] = [
      ISSUED,
      { type: 'api-key-plan-changed', data: { plan: 'enterprise', perMinute: 1, perDay: 2 } },
      { type: 'api-key-scopes-changed', data: { scopes: ['pets', 'graphql'] } },
      { type: 'api-key-rotated', data: { hash: 'second', keyStart: '2nd4', previousValidUntil: null } },
      { type: 'api-key-banned', data: { until: NOW.toISOString(), step: 1 } },
      { type: 'api-key-unbanned', data: {} },
      REVOKED,
    ];
    const streams = fc.integer({ min: 1, max: history.length }).map((count) => history.slice(0, count));
    const withNewer = streams.chain((stream) => fc.tuple(fc.constant(stream), withNewerEvents(stream)));
    fc.assert(fc.property(withNewer, ([stream, newer]) => expect(fold(newer)).toEqual(fold(stream))));
  });
});
