import { CommandBus } from '@nestjs/cqrs';
import { getDataSourceToken } from '@nestjs/typeorm';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { Database, identifier, READ_CONNECTION, sql } from '#libs/database';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { PETS_TABLE } from './read-model-tables.fixture.js';
import { ChangePet } from '../../src/pets/commands/change-pet.command.js';

const METADATA = { actor: 'cli' };
const LARGEST = '9223372036854775807';

describe('the query schema', () => {
  let service: GraphqlService;
  beforeEach(async () => (service = await startGraphqlService()));
  afterEach(() => service.close());

  it('gives int64 of an animal as ID, the status by its name, and times to the millisecond', async () => {
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

  it('has an animal at any moment as some beginning of its history has made it, whatever the clock does', async () => {
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
          await service.app.get(CommandBus).execute(new ChangePet({ id: 1n, status: (changes += 1) % 2 ? 'pending' : 'sold' }, METADATA));
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

  it('has the log, ascending, by stream and type, without the hash of a key', async () => {
    await service.addPet('a');
    await service.addPet('b');
    const FIELDS = 'nodes { position stream version type schemaVersion data metadata recordedAt }';
    const events = async (given = '') =>
      (await service.ask<{ events: { nodes: readonly object[] } }>(`{ events${given} { ${FIELDS} } }`)).data?.events.nodes;
    const all = await events();
    expect(all).toMatchObject(['1', '2', '3', '4'].map((position) => ({ position })));
    expect(JSON.stringify(all)).not.toMatch(/hash|[0-9a-f]{64}/);
    expect(await events('(stream: "pet-2", type: "pet-added")')).toEqual([
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
  });

  it('shows the last use of a key to the minute, but none before it was made', async () => {
    await service.issueKey({ name: 'unused' });
    service.clock.set('2026-06-01T12:34:56.789Z');
    const { token } = await service.issueKey({ name: 'young' });
    await service.client.get('/v1/pets', { key: token });
    const nodes = async () => (await service.ask<{ apiKeys: object }>('{ apiKeys { nodes { name lastUsedAt } } }')).data?.apiKeys;
    await nodes();
    expect(await nodes()).toEqual({
      nodes: [
        { name: 'test', lastUsedAt: null },
        { name: 'tools', lastUsedAt: '2026-06-01T12:34:00.000Z' },
        { name: 'unused', lastUsedAt: null },
        { name: 'young', lastUsedAt: '2026-06-01T12:34:56.789Z' },
      ],
    });
  });

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
