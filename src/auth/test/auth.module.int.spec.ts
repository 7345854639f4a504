import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { composeModules, type ScopeDefinition } from '#libs/http';
import { EventStore, ProjectionRebuilder, ProjectionVerification } from '#libs/event-sourcing';
import { commandOutput, openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { AuthModule } from '../auth.module.js';
import { Authenticator } from '../authentication/authenticator.js';
import { registerKeysCommands } from '../cli/keys.cli.js';
import { ChangeApiKeyScopes, RevokeApiKey, RotateApiKey, SetApiKeyPlan } from '../commands/change-api-key.command.js';
import { IssueApiKey, type IssueApiKeyInput } from '../commands/issue-api-key.command.js';
import { DemoKey } from '../demo-key.js';
import { createToken, parseToken, type Deployment } from '../domain/api-key-token.js';
import { auth } from '../index.js';
import { BrowseApiKeys, GetApiKey } from '../queries/api-keys.query.js';

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

  describe('issuing', () => {
    it('gives ids from 1 upwards, a token of this deployment and, left to itself, the plan free with the scope pets', async () => {
      const { key, ...view } = await issue();
      expect(parseToken(key)).toEqual({ deployment: 'development' });
      expect(view).toEqual({
        id: 1n,
        name: 'Shop',
        keyStart: key.slice('adopt_dev_'.length, 'adopt_dev_'.length + 4),
        plan: 'free',
        limits: { perMinute: 60, perDay: 1_000 },
        scopes: ['pets'],
        createdAt: expect.any(String),
        expiresAt: null,
        revokedAt: null,
      });
      expect(await issue({ plan: 'enterprise', perMinute: 5, perDay: 7 })).toMatchObject({ id: 2n, limits: { perMinute: 5, perDay: 7 } });
    });

    it.each<[Partial<IssueApiKeyInput>, string]>([
      [{ name: '' }, 'name'],
      [{ name: ' \n' }, 'name'],
      [{ name: 'x'.repeat(256) }, 'name'],
      [{ name: 'a\0b' }, 'name'],
      [{ name: 'a\ud800b' }, 'name'],
      [{ plan: 'gold' }, 'plan must be one of free, pro, business, enterprise'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['pets', 'pets'] }, 'scopes'],
      [{ scopes: ['admin'] }, 'scopes must be among pets, graphql'],
      [{ plan: 'enterprise' }, 'perMinute and perDay'],
      [{ plan: 'enterprise', perMinute: 0, perDay: 1 }, 'perMinute'],
      [{ plan: 'enterprise', perMinute: 1, perDay: 1.5 }, 'perDay'],
      [{ plan: 'enterprise', perMinute: 1, perDay: 1e9 + 1 }, 'perDay'],
      [{ perMinute: 1 }, 'perMinute and perDay'],
      [{ expiresAt: new Date(Number.NaN) }, 'expiresAt'],
      [{ expiresAt: new Date(START) }, 'expiresAt must be in the future'],
    ])('refuses %j', async (input, message) => {
      await expect(issue(input)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) });
      expect(await listKeys()).toEqual([]);
    });

    it('takes a name of 255 characters outside the basic plane', async () => {
      const name = '🐈'.repeat(255);
      expect(await issue({ name })).toMatchObject({ name });
    });

    it('makes one key for a name that is to be used once, and shows its token to the first alone', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => issueOrInProgress()));
      expect(answers.filter((key) => typeof key === 'string')).toHaveLength(1);
      expect(await issueOrInProgress()).toBeNull();
      expect(await listKeys()).toHaveLength(1);
    });
  });

  describe('changing', () => {
    it('shows plan, scopes, rotation and revocation in the view, and the same after a rebuild', async () => {
      await issue();
      await issue({ plan: 'enterprise', perMinute: 5, perDay: 7 });
      await commands().execute(new SetApiKeyPlan({ id: 1n, plan: 'enterprise', perMinute: 1, perDay: 2, metadata: METADATA }));
      await commands().execute(new SetApiKeyPlan({ id: 2n, plan: 'pro', metadata: METADATA }));
      await commands().execute(new ChangeApiKeyScopes({ id: 1n, change: 'add', scope: 'graphql', metadata: METADATA }));
      const { key } = await commands().execute(new RotateApiKey({ id: 1n, grace: HOUR, metadata: METADATA }));
      await commands().execute(new RevokeApiKey(2n, METADATA));

      const live = await listKeys();
      expect(live).toMatchObject([
        {
          id: 1n,
          keyStart: key.split('_')[2]?.slice(0, 4),
          limits: { perMinute: 1, perDay: 2 },
          scopes: ['pets', 'graphql'],
          rotatedAt: START,
          previousKeyValidUntil: '2026-01-01T01:00:00.000Z',
        },
        { id: 2n, plan: 'pro', limits: { perMinute: 300, perDay: 10_000 }, scopes: ['pets'], revokedAt: START },
      ]);
      expect(await application.get(ProjectionVerification).verify()).toEqual([]);
      await application.get(ProjectionRebuilder).rebuild('api-keys');
      expect(await listKeys()).toEqual(live);
    });

    it('tells how no key begins whose events are from before that was kept, until it is rotated', async () => {
      const { key } = await issue();
      const store = application.get(EventStore);
      const [issued] = await store.readStream('api-key-1');
      const { keyStart: _keyStart, ...data } = issued?.data as { keyStart: string };
      const events = [{ type: 'api-key-issued', data: { ...data, hash: '0'.repeat(64) } }];
      await store.append([{ stream: 'api-key-2', expectedVersion: 0, events }], { metadata: METADATA });
      expect((await listKeys()).map(({ keyStart }) => keyStart)).toEqual([key.split('_')[2]?.slice(0, 4), undefined]);
      const rotated = await commands().execute(new RotateApiKey({ id: 2n, metadata: METADATA }));
      expect(await queries().execute(new GetApiKey(2n))).toMatchObject({ keyStart: rotated.key.split('_')[2]?.slice(0, 4) });
    });

    it('says which key does not exist', async () => {
      const missing = { code: 'not_found', message: 'There is no API key 9.' };
      for (const command of [
        new SetApiKeyPlan({ id: 9n, plan: 'pro', metadata: METADATA }),
        new RotateApiKey({ id: 9n, metadata: METADATA }),
        new ChangeApiKeyScopes({ id: 9n, change: 'add', scope: 'graphql', metadata: METADATA }),
        new RevokeApiKey(9n, METADATA),
      ]) {
        await expect(commands().execute(command)).rejects.toMatchObject(missing);
      }
      await expect(queries().execute(new GetApiKey(9n))).rejects.toMatchObject(missing);
    });

    it.each([-1, 0.5, 366 * 24 * HOUR])('refuses a grace of %d milliseconds', async (grace) => {
      await issue();
      await expect(commands().execute(new RotateApiKey({ id: 1n, grace, metadata: METADATA }))).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('grace'),
      });
    });
  });

  describe('authenticating', () => {
    it('refuses a wrong checksum and a token of another deployment without looking anything up', async () => {
      const { key } = await issue();
      const foreign = createToken('production', new Uint8Array(32).fill(1));
      const wrong = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
      expect(application.get(Authenticator).authenticate(foreign)).toBeUndefined();
      expect(application.get(Authenticator).authenticate(wrong)).toBeUndefined();
    });

    it('refuses a key of another deployment on the same database', async () => {
      const { key } = await issue();
      const production = await open('production');
      expect(await production.get(Authenticator).authenticate(key)).toBeUndefined();
    });

    it('admits a key that was unknown a moment ago', async () => {
      const token = createToken('development', new Uint8Array(32).fill(1));
      expect(await authenticate(token)).toBeUndefined();
      const other = await open('development');
      const { key } = await other.get(CommandBus).execute(new IssueApiKey({ name: 'new', metadata: METADATA }));
      expect(await authenticate(key ?? '')).toMatchObject({ name: 'new' });
    });

    it('ends a key at the instant of its expiry, also while it is cached', async () => {
      const { key } = await issue({ expiresAt: new Date('2026-01-01T01:00:00.000Z') });
      clock.set('2026-01-01T00:59:59.999Z');
      expect(await authenticate(key)).toBeDefined();
      clock.set('2026-01-01T01:00:00.000Z');
      expect(await authenticate(key)).toBeUndefined();
    });

    it('ends also a token in its grace at a rotation without grace', async () => {
      const first = await issue();
      await commands().execute(new RotateApiKey({ id: 1n, grace: HOUR, metadata: METADATA }));
      const { key } = await commands().execute(new RotateApiKey({ id: 1n, metadata: METADATA }));
      expect(await authenticate(first.key)).toBeUndefined();
      expect(await authenticate(key)).toMatchObject({ keyId: 1n });
    });

    it('lets a key do what its scopes include, and shows those that it was given alone', async () => {
      const including = await open('development', {
        ...SCOPES,
        'pets:all': { description: 'all of REST', includes: ['pets:write', 'graphql'] },
        'pets:write': { description: 'changes over REST', includes: ['pets', 'pets:all'] },
      });
      const { key } = await including.get(CommandBus).execute(new IssueApiKey({ name: 'Staff', scopes: ['pets:all'], metadata: METADATA }));
      expect(await including.get(Authenticator).authenticate(key ?? '')).toMatchObject({
        scopes: ['pets:all', 'pets:write', 'graphql', 'pets'],
      });
      expect(await including.get(QueryBus).execute(new GetApiKey(1n))).toMatchObject({ scopes: ['pets:all'] });
    });
  });

  describe('the demo key', () => {
    it('is issued once in development, with both scopes, however many instances start together', async () => {
      const other = await open('development');
      const tokens = await Promise.all([application, other].map((instance) => instance.get(DemoKey).ensureDemoKey()));
      const printed = tokens.filter((token) => token !== undefined);
      expect(printed).toHaveLength(1);
      expect(await authenticate(printed[0] ?? '')).toMatchObject({ name: 'demo', plan: 'free', scopes: ['pets', 'graphql'] });
      expect(await application.get(DemoKey).ensureDemoKey()).toBeUndefined();
      expect(await listKeys()).toHaveLength(1);
    });

    it('is not issued where there is a key, even a revoked one', async () => {
      await issue();
      await commands().execute(new RevokeApiKey(1n, METADATA));
      expect(await application.get(DemoKey).ensureDemoKey()).toBeUndefined();
    });

    it.each<Deployment>(['staging', 'production'])('is not issued in %s', async (deployment) => {
      expect(await (await open(deployment)).get(DemoKey).ensureDemoKey()).toBeUndefined();
    });
  });

  describe('the command line', () => {
    it('creates, changes, rotates and revokes a key', async () => {
      const [created] = await run('create', '--name', 'Shop', '--scopes', 'pets,graphql', '--expires-in', '90d');
      expect(created).toMatchObject({ id: 1n, name: 'Shop', plan: 'free', scopes: ['pets', 'graphql'], key: expect.any(String) });
      expect(created).toHaveProperty('expiresAt', '2026-04-01T00:00:00.000Z');
      expect(await run('set-plan', '1', 'enterprise', '--per-minute', '5', '--per-day', '9')).toMatchObject([
        { plan: 'enterprise', limits: { perMinute: 5, perDay: 9 } },
      ]);
      expect(await run('remove-scope', '1', 'pets')).toMatchObject([{ id: 1n, scopes: ['graphql'] }]);
      expect(await run('add-scope', '1', 'pets')).toMatchObject([{ id: 1n, scopes: ['graphql', 'pets'] }]);
      const [rotated] = await run('rotate', '1', '--grace', '24h');
      expect(rotated).toMatchObject({ key: expect.any(String), previousKeyValidUntil: '2026-01-02T00:00:00.000Z' });
      expect(await run('revoke', '1')).toMatchObject([{ id: 1n, revokedAt: START }]);
    });

    it.each([
      [['rotate', '01'], 'ID must be'],
      [['revoke', '0'], 'ID must be'],
      [['revoke', '9223372036854775808'], 'ID must be'],
      [['rotate', '1', '--grace', '1w'], 'duration'],
      [['create', '--name', 'x', '--plan', 'enterprise', '--per-minute', '1e3', '--per-day', '1'], '--per-minute must be'],
      [['create', '--name', 'x', '--plan', 'gold'], 'Allowed choices are free, pro'],
      [['create', '--name', 'x', '--scopes', 'pets,'], 'Each of --scopes must be one of pets, graphql'],
      [['set-plan', '1', 'pro', '--per-day', '5'], 'perMinute and perDay'],
      [['add-scope', '1', 'admin'], 'Allowed choices are pets, graphql'],
      [['remove-scope', '1', 'admin'], 'Allowed choices are pets, graphql'],
      [['remove-scope', '1', 'pets'], 'no scope but pets'],
    ])('refuses %j', async (words, message) => {
      await issue();
      await expect(run(...words)).rejects.toThrow(message);
    });
  });

  function commands(): CommandBus {
    return application.get(CommandBus);
  }

  async function listKeys() {
    return (await queries().execute(new BrowseApiKeys({ limit: 100 }))).items;
  }

  function queries(): QueryBus {
    return application.get(QueryBus);
  }

  async function issue(input: Partial<IssueApiKeyInput> = {}) {
    const issued = await commands().execute(new IssueApiKey({ name: 'Shop', metadata: METADATA, ...input }));
    return { ...issued, key: issued.key ?? '' };
  }

  /** The token, null for a replay, undefined where another call was still at it. */
  async function issueOrInProgress(): Promise<string | null | undefined> {
    try {
      return (await commands().execute(new IssueApiKey({ name: 'Shop', once: 'shop', metadata: METADATA }))).key;
    } catch (error) {
      expect(error).toMatchObject({ code: 'idempotency_key_in_progress' });
      return undefined;
    }
  }

  async function authenticate(token: string) {
    return application.get(Authenticator).authenticate(token);
  }

  function run(...words: string[]): Promise<unknown[]> {
    return commandOutput(registerKeysCommands, application, ['keys', ...words], new Map(Object.entries(SCOPES)));
  }

  function open(deployment: Deployment, scopes = SCOPES): Promise<INestApplicationContext> {
    return tested.openAnother([authModule(deployment, scopes)]);
  }
});

function authModule(deployment: Deployment, scopes = SCOPES) {
  return AuthModule.forRoot({ deployment, scopes: new Map(Object.entries(scopes)) });
}
