import { Test } from '@nestjs/testing';
import { parseDatabaseUrl } from '#libs/database';
import { EventStore, type DomainEvent, type EventDefinition } from '#libs/event-sourcing';
import { SystemClock } from '#libs/observability';
import { libraryModules } from '#libs/testing';
import { createToken, hashToken } from '../../src/auth/domain/api-key-token.js';
import { composition } from '../../src/bootstrap/composition.js';
import { linesOf, runHere } from '../e2e/command-line.fixture.js';
import { startGraphqlService, type GraphqlService } from '../e2e/graphql.fixture.js';

const SECRET = 'of no business of anyone';
const TOKEN = createToken('development', new Uint8Array(32).fill(7));
const REX = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';

/** Event types, and schema versions of known types, that this build does not know. */
const definitions: readonly EventDefinition[] = [
  { type: 'pet-registered', schemaVersion: 1 },
  { type: 'pet-added', schemaVersion: 2, upcasters: { 1: (data: object) => data } },
  { type: 'api-key-issued', schemaVersion: 2, upcasters: { 1: (data: object) => data } },
  { type: 'api-key-sealed', schemaVersion: 1 },
];
const petData = { name: 'Rex', categoryId: '9223372036854775807', status: 'available', shelter: { id: '1' } };
const pet: readonly DomainEvent[] = [
  { type: 'pet-registered', data: { chip: SECRET } },
  { type: 'pet-added', data: petData },
];
const limits = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000, scopes: ['pets'], expiresAt: null };
const key: readonly DomainEvent[] = [
  { type: 'api-key-issued', data: { name: 'newer', ...limits, deployment: 'development', hash: hashToken(TOKEN), salt: SECRET } },
  { type: 'api-key-sealed', data: { seal: SECRET } },
];

/** Appends to new streams as an instance of a newer build does. Returns their names. */
async function appendByNewerBuild(url: string): Promise<string[]> {
  const composed = { events: definitions, projections: [], migrations: composition().migrations };
  const newer = await Test.createTestingModule({ imports: libraryModules(parseDatabaseUrl(url), new SystemClock(), composed) }).compile();
  await newer.init();
  const append = (category: string, events: readonly DomainEvent[]) =>
    newer.get(EventStore).append([{ stream: { newIn: category }, events }], { metadata: { actor: 'system' } });
  const appended = [await append('pet', pet), await append('api-key', key)];
  await newer.close();
  return appended.map(({ events }) => events[0]?.stream ?? '');
}

describe('events of a newer build in the log of a running service', () => {
  let service: GraphqlService;
  let keyStream: string;
  beforeAll(async () => {
    service = await startGraphqlService();
    [, keyStream = ''] = await appendByNewerBuild(service.backend['DATABASE_URL'] ?? '');
  });
  afterAll(() => service.close());

  it('are read as far as they are known, let a key in that they have issued, and stop no append', async () => {
    expect((await service.client.get('/v1/pets/1')).text).toBe(REX);
    expect(await service.client.get('/v1/pets', { key: TOKEN })).toMatchObject({ status: 200, text: expect.stringContaining(REX) });
    expect((await service.client.post('/v1/pets', { name: 'Ana', categoryId: 1 })).status).toBe(201);
  });

  it('are listed over GraphQL without data whose secrets cannot be known', async () => {
    const { data, answer } = await service.ask<{
      events: { nodes: { stream: string; type: string; schemaVersion: number; data: object }[] };
    }>('{ events(first: 100) { nodes { stream type schemaVersion data } } }');
    expect(answer.text).not.toContain(SECRET);
    expect(answer.text).not.toContain(hashToken(TOKEN));
    expect(data?.events.nodes.filter(({ stream }) => ['pet-1', keyStream].includes(stream))).toEqual([
      { stream: 'pet-1', type: 'pet-registered', schemaVersion: 1, data: {} },
      { stream: 'pet-1', type: 'pet-added', schemaVersion: 2, data: petData },
      { stream: keyStream, type: 'api-key-issued', schemaVersion: 2, data: {} },
      { stream: keyStream, type: 'api-key-sealed', schemaVersion: 1, data: {} },
    ]);
  });

  it('stop no command, and are listed by it without such data', async () => {
    const run = async (...words: string[]) => {
      const { DATABASE_URL = '' } = service.backend;
      const { code, stdout } = await runHere({ DATABASE_URL, LOG_LEVEL: 'silent' }, words);
      expect(code).toBe(0);
      return linesOf(stdout).map((line) => JSON.parse(line) as { type: string; data: object });
    };
    const id = keyStream.replace('api-key-', '');
    for (const { type, data } of (await run('events', 'list')).filter(({ type: one }) => /registered|issued|sealed/.test(one))) {
      if (type !== 'api-key-issued') expect(data).toEqual({});
      expect(JSON.stringify(data)).not.toContain(SECRET);
    }
    for (const name of ['pets', 'api-keys']) expect(await run('projections', 'rebuild', name)).toMatchObject([{ name, upToDate: true }]);
    expect(await run('pets', 'set-status', '1', 'sold')).toMatchObject([{ name: 'Rex', status: 'sold', changed: true }]);
    expect(await run('keys', 'set-plan', id, 'pro')).toMatchObject([{ id: Number(id), plan: 'pro' }]);
    expect(await run('events', 'verify')).toMatchObject([{ problems: [] }]);
  });
});
