import { CommandBus } from '@nestjs/cqrs';
import { getDataSourceToken } from '@nestjs/typeorm';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { Database, identifier, READ_CONNECTION, sql } from '#libs/database';
import { until } from '#libs/testing';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { PETS_TABLE } from './read-model-tables.fixture.js';
import { BanApiKey } from '../../src/auth/index.js';
import { ChangePet, WithdrawPet } from '../../src/pets/commands/change-pet.command.js';

const METADATA = { actor: 'cli' };
const LARGEST = '9223372036854775807';
const LARGE = 1_000_000;

interface Page<Node = { readonly id: string }> {
  readonly nodes: readonly Node[];
  readonly edges: readonly { readonly cursor: string; readonly node: Node }[];
  readonly totalCount: number;
  readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

describe('the query schema', () => {
  let service: GraphqlService;
  beforeEach(async () => (service = await startGraphqlService()));
  afterEach(() => service.close());

  const change = (command: ChangePet | WithdrawPet) => service.app.get(CommandBus).execute(command);

  describe('pet', () => {
    it('gives int64 as ID, the status by its name, and times to the millisecond', async () => {
      service.clock.set('2026-06-01T12:00:00.007Z');
      await service.client.post('/v1/pets', `{"name":"Rex","categoryId":${LARGEST},"status":"sold"}`);
      const { data } = await service.ask('{ pet(id: "1") { id name categoryId status addedAt history { version type data } } }');
      expect(data).toEqual({
        pet: {
          id: '1',
          name: 'Rex',
          categoryId: LARGEST,
          status: 'SOLD',
          addedAt: '2026-06-01T12:00:00.007Z',
          history: [{ version: 1, type: 'pet-added', data: { name: 'Rex', categoryId: LARGEST, status: 'sold' } }],
        },
      });
    });

    it('is at any moment what some beginning of its history has made it, whatever the clock does', async () => {
      interface Past {
        readonly status: string | null;
        readonly history: readonly { readonly recordedAt: string; readonly data: { readonly status?: string } }[];
      }
      const ask = async (asOf?: string) =>
        (
          await service.ask<{ pet: Past | null }>(
            'query($at: DateTime) { pet(id: 1, asOf: $at) { status history(first: 100) { recordedAt data } } }',
            asOf === undefined ? {} : { at: asOf },
          )
        ).data?.pet;
      const told = new Map<string, Past | null | undefined>();
      await service.addPet('Rex');
      const jumps = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 2, maxLength: 5 });
      let changes = 0;
      await fc.assert(
        fc.asyncProperty(jumps, async (drawn) => {
          for (const jump of drawn) {
            service.clock.advance(jump);
            await change(new ChangePet({ id: 1n, status: (changes += 1) % 2 ? 'pending' : 'sold' }, METADATA));
          }
          const history = (await ask())?.history ?? [];
          const times = history.map(({ recordedAt }) => Date.parse(recordedAt));
          for (const moment of new Set(times.flatMap((time) => [time - 1, time]))) {
            const asOf = new Date(moment).toISOString();
            const past = await ask(asOf);
            const beginning = history.slice(0, past?.history.length ?? 0);
            expect(past?.history ?? []).toEqual(beginning);
            expect(beginning).toHaveLength(times.filter((time) => time <= moment).length);
            expect(past?.status ?? null).toBe(beginning.at(-1)?.data.status?.toUpperCase() ?? null);
            // Over for good, so its answer stays.
            if (moment >= Math.max(...times)) continue;
            expect(past).toEqual(told.has(asOf) ? told.get(asOf) : past);
            told.set(asOf, past);
          }
        }),
        { numRuns: 5 },
      );
    });
  });

  describe('pets', () => {
    const PAGE = `query($first: Int, $after: String, $status: PetStatus, $category: ID) {
      pets(first: $first, after: $after, status: $status, categoryId: $category) {
        totalCount nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`;
    const page = async (variables: object) => (await service.ask<{ pets: Page }>(PAGE, variables)).data?.pets;

    it('is a connection whose pages meet every animal once', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await service.addPet(name);
      const first = await page({ first: 2 });
      expect(first?.nodes).toEqual([{ id: '1' }, { id: '2' }]);
      expect(first?.edges.map(({ node }) => node)).toEqual(first?.nodes);
      expect(first?.pageInfo).toEqual({
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: first?.edges[0]?.cursor,
        endCursor: first?.edges[1]?.cursor,
      });
      const second = await page({ first: 3, after: first?.pageInfo.endCursor });
      expect(second).toMatchObject({
        nodes: [{ id: '3' }, { id: '4' }, { id: '5' }],
        totalCount: 5,
        pageInfo: { hasNextPage: false, hasPreviousPage: true },
      });
      expect(await page({ first: 3, after: second?.pageInfo.endCursor })).toMatchObject({
        nodes: [],
        pageInfo: { startCursor: null, endCursor: null },
      });
      expect((await service.ask<{ pets: Page }>('{ pets { nodes { id } } }')).data?.pets.nodes).toHaveLength(5);
      expect((await page({ first: null }))?.nodes).toHaveLength(5);
    });

    it('has a total that follows both filters, through every change', async () => {
      await service.addPet('a', { categoryId: 1, status: 'available' });
      await service.addPet('b', { categoryId: 1 });
      await service.addPet('c', { categoryId: 2, status: 'available' });
      await service.addPet('d', { categoryId: 2, status: 'sold' });
      const total = async (variables: object) => (await page({ first: 1, ...variables }))?.totalCount;
      expect([
        await total({}),
        await total({ status: 'AVAILABLE' }),
        await total({ category: 2 }),
        await total({ status: 'AVAILABLE', category: 2 }),
      ]).toEqual([4, 2, 2, 1]);
      await change(new ChangePet({ id: 3n, status: 'sold' }, METADATA));
      await change(new ChangePet({ id: 4n, categoryId: 1n }, METADATA));
      await change(new WithdrawPet({ id: 1n, reason: 'gone' }, METADATA));
      expect([
        await total({}),
        await total({ status: 'AVAILABLE' }),
        await total({ status: 'SOLD' }),
        await total({ category: 1 }),
        await total({ category: 3 }),
      ]).toEqual([3, 0, 2, 2, 0]);
      expect((await service.ask('{ petCounts { status count } }')).data).toEqual({
        petCounts: [
          { status: 'AVAILABLE', count: 0 },
          { status: 'PENDING', count: 0 },
          { status: 'SOLD', count: 2 },
          { status: null, count: 1 },
        ],
      });
      expect((await page({ category: 1 }))?.nodes).toEqual([{ id: '2' }, { id: '4' }]);
    });

    it('refuses pages and cursors that are none, or of another filter or list', async () => {
      await service.addPet('a', { status: 'sold' });
      const { data } = await service.ask<{ pets: Page; events: Page<object> }>(
        '{ pets { pageInfo { endCursor } } events { pageInfo { endCursor } } }',
      );
      const cursors = [
        { after: data?.pets.pageInfo.endCursor, status: 'SOLD' },
        { after: data?.events.pageInfo.endCursor },
        { after: 'x' },
      ];
      const others = [{ first: 0 }, { first: 101 }, { first: 2_000_000_000 }, { category: 'x' }, { category: '9223372036854775808' }];
      for (const variables of [...cursors, ...others]) {
        const { errors, answer, data: page } = await service.ask(PAGE, variables);
        expect([answer.status, page]).toEqual([200, null]);
        expect(errors).toMatchObject([{ path: ['pets'], extensions: { code: 'invalid_parameter' } }]);
      }
    });
  });

  describe('events', () => {
    it('is the log, ascending, by stream and type, without the hash of a key', async () => {
      await service.addPet('a');
      await service.addPet('b');
      const FIELDS = 'nodes { position stream version type schemaVersion data metadata recordedAt }';
      const all = (await service.ask<{ events: Page<Record<string, unknown>> }>(`{ events { ${FIELDS} } }`)).data?.events.nodes ?? [];
      expect(all.map(({ position }) => position)).toEqual(['1', '2', '3', '4']);
      expect(JSON.stringify(all)).not.toMatch(/hash|[0-9a-f]{64}/);
      const pet = await service.ask<{ events: Page<Record<string, unknown>> }>(
        `{ events(stream: "pet-2", type: "pet-added") { ${FIELDS} } }`,
      );
      expect(pet.data?.events.nodes).toEqual([
        {
          position: '4',
          stream: 'pet-2',
          version: 1,
          type: 'pet-added',
          schemaVersion: 1,
          data: { name: 'b', categoryId: '7' },
          metadata: { actor: 'api-key-1', requestId: expect.any(String) },
          recordedAt: '2026-06-01T12:00:00.000Z',
        },
      ]);
      const first = await service.ask<{ events: Page }>('{ events(first: 3) { pageInfo { endCursor } } }');
      const rest = await service.ask<{ events: Page<{ position: string }> }>(
        'query($a: String) { events(after: $a) { nodes { position } } }',
        { a: first.data?.events.pageInfo.endCursor },
      );
      expect(rest.data?.events.nodes).toEqual([{ position: '4' }]);
    });
  });

  describe('apiKeys', () => {
    it('shows keys without their secrets, with their last use to the minute', async () => {
      await service.issueKey({ name: 'unused', plan: 'pro', expiresAt: new Date('2027-01-01T00:00:00.000Z') });
      service.clock.set('2026-06-01T12:34:56.789Z');
      const { data } = await service.ask('{ apiKeys { nodes { id name plan scopes createdAt expiresAt revokedAt lastUsedAt } } }');
      expect(data).toMatchObject({
        apiKeys: {
          nodes: [
            { id: '1', name: 'test', plan: 'enterprise', scopes: ['pets'], lastUsedAt: null },
            { id: '2', name: 'tools', scopes: ['pets', 'graphql'], revokedAt: null, lastUsedAt: '2026-06-01T12:34:00.000Z' },
            {
              id: '3',
              name: 'unused',
              plan: 'pro',
              createdAt: '2026-06-01T12:00:00.000Z',
              expiresAt: '2027-01-01T00:00:00.000Z',
              lastUsedAt: null,
            },
          ],
        },
      });
    });
  });

  it('shows no use of a key before the key was made', async () => {
    service.clock.set('2026-06-01T12:34:56.789Z');
    const { id, token } = await service.issueKey({ name: 'young' });
    expect((await service.client.get('/v1/pets', { key: token })).status).toBe(200);
    const { data } = await service.ask(`{ apiKeys { nodes { id lastUsedAt } } }`);
    expect(data).toMatchObject({
      apiKeys: { nodes: expect.arrayContaining([{ id: String(id), lastUsedAt: '2026-06-01T12:34:56.789Z' }]) as unknown },
    });
  });

  describe('usage and ban of apiKeys', () => {
    it('are as saved within the last second, and read for a whole page at once', async () => {
      const banned = await service.issueKey({ name: 'banned', plan: 'pro' });
      await service.app
        .get(CommandBus)
        .execute(new BanApiKey({ id: banned.id, until: new Date('2026-06-01T12:05:00.000Z'), step: 2, unbans: 0, metadata: METADATA }));
      const USAGE = '{ apiKeys { nodes { id usage { minute { limit used remaining resetsAt } day { limit used } } ban { until step } } } }';
      const nodes = async () => (await service.ask<{ apiKeys: Page<{ usage: { minute: { used: number } } }> }>(USAGE)).data?.apiKeys.nodes;
      await until(async () => ((await nodes())?.[1]?.usage.minute.used ?? 0) > 0);
      const noneUsed = { used: 0, remaining: 300, limit: 300, resetsAt: '2026-06-01T12:01:00.000Z' };
      expect(await nodes()).toMatchObject([
        { id: '1', ban: null },
        { id: '2', usage: { minute: { limit: LARGE, used: expect.any(Number) }, day: { limit: LARGE } }, ban: null },
        { id: '3', usage: { minute: noneUsed, day: { limit: 10_000, used: 0 } }, ban: { until: '2026-06-01T12:05:00.000Z', step: 2 } },
      ]);
    });
  });

  describe('how it reads', () => {
    it('cannot write through the connection that it reads from', async () => {
      const { reader } = service.app.get(Database);
      await expect(reader.query(sql`DELETE FROM ${identifier(PETS_TABLE)}`)).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/read-?only/) },
      });
      await expect(service.app.get<DataSource>(getDataSourceToken(READ_CONNECTION)).query(`DELETE FROM "${PETS_TABLE}"`)).rejects.toThrow(
        /readonly|read-only/i,
      );
    });
  });
});
