import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Database, identifier, sql } from '#libs/database';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { PETS_TABLE } from './read-model-tables.fixture.js';

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
    await expect(service.app.get<DataSource>(getDataSourceToken()).query(`DELETE FROM "${PETS_TABLE}"`)).rejects.toThrow(
      /readonly|read-only/i,
    );
  });
});
