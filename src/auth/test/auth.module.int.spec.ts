import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { composeModules, type ScopeDefinition } from '#libs/http';
import { ProjectionRebuilder, ReadModels } from '#libs/event-sourcing';
import { openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { AuthModule } from '../auth.module.js';
import { Authenticator } from '../authentication/authentication.hook.js';
import { ChangeApiKey, type ApiKeyChange } from '../commands/change-api-key.command.js';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import type { ApiKeyValues } from '../domain/api-key.decider.js';
import type { Deployment } from '../domain/api-key-token.js';
import { auth } from '../index.js';
import { GetApiKey, ListKeys } from '../queries/api-keys.query.js';

const METADATA = { actor: 'cli' };
const START = '2026-01-01T00:00:00.000Z';
const HOUR = 3_600_000;

const SCOPES: Readonly<Record<string, ScopeDefinition>> = {
  pets: { description: 'REST', isDefault: true },
  graphql: { description: 'GraphQL' },
};

describe('the module of the API keys', () => {
  let clock: SettableClock;
  let tested: TestedModule;
  let application: INestApplicationContext;

  beforeEach(async () => {
    clock = new SettableClock(new Date(START));
    tested = await openTestedModule([authModule('development')], clock, composeModules([auth]));
    ({ application } = tested);
  });

  afterEach(() => tested.close());

  describe('changing', () => {
    it('shows plan, scopes, rotation and revocation in the view, and the same after a rebuild', async () => {
      await issue();
      await issue({ plan: 'enterprise', limits: { perMinute: 5, perDay: 7 } });
      const limits = { perMinute: 1, perDay: 2 };
      await change({ type: 'update', id: 1n, plan: 'enterprise', limits });
      await change({ type: 'update', id: 2n, plan: 'pro' });
      await change({ type: 'add-scope', id: 1n, scope: 'graphql' });
      const { key } = await change({ type: 'rotate', id: 1n, grace: HOUR });
      await change({ type: 'revoke', id: 2n });
      const live = await listKeys();
      expect(live).toMatchObject([
        {
          id: 1n,
          keyStart: key?.split('_')[2]?.slice(0, 4),
          limits: { perMinute: 1, perDay: 2 },
          scopes: ['pets', 'graphql'],
          rotatedAt: new Date(START),
          previousKeyValidUntil: new Date('2026-01-01T01:00:00.000Z'),
        },
        { id: 2n, plan: 'pro', limits: { perMinute: 300, perDay: 10_000 }, scopes: ['pets'], revokedAt: new Date(START) },
      ]);
      expect(await application.get(ReadModels).verify()).toEqual([]);
      await application.get(ProjectionRebuilder).rebuild('api-keys');
      expect(await listKeys()).toEqual(live);
    });
  });

  describe('authenticating', () => {
    it('refuses a key of another deployment on the same database', async () => {
      const { key } = await issue();
      const production = await open('production');
      expect(await production.get(Authenticator).authenticate(key)).toBeUndefined();
    });

    it('lets a key do what its scopes include, and shows only the granted ones', async () => {
      const including = await open('development', {
        ...SCOPES,
        'pets:all': { description: 'all of REST', includes: ['pets:write', 'graphql'] },
        'pets:write': { description: 'changes over REST', includes: ['pets', 'pets:all'] },
      });
      const { key } = await including
        .get(CommandBus)
        .execute(new IssueApiKey({ name: 'Staff', scopes: ['pets:all'] }, { metadata: METADATA }));
      expect(await including.get(Authenticator).authenticate(key ?? '')).toMatchObject({
        scopes: ['pets:all', 'pets:write', 'graphql', 'pets'],
      });
      expect(await including.get(QueryBus).execute(new GetApiKey(1n))).toMatchObject({ scopes: ['pets:all'] });
    });
  });

  function commands(): CommandBus {
    return application.get(CommandBus);
  }

  function change(values: ApiKeyChange) {
    return commands().execute(new ChangeApiKey(values, { metadata: METADATA }));
  }

  async function listKeys() {
    return (await queries().execute(new ListKeys({ limit: 100 }))).items;
  }

  function queries(): QueryBus {
    return application.get(QueryBus);
  }

  async function issue(input: Partial<ApiKeyValues> = {}) {
    const issued = await commands().execute(new IssueApiKey({ name: 'Shop', ...input }, { metadata: METADATA }));
    return { ...issued, key: issued.key ?? '' };
  }

  function open(deployment: Deployment, scopes = SCOPES): Promise<INestApplicationContext> {
    return tested.openAnother([authModule(deployment, scopes)]);
  }
});

function authModule(deployment: Deployment, scopes = SCOPES) {
  return AuthModule.forRoot({ deployment, purpose: 'cli', scopes: new Map(Object.entries(scopes)) });
}
