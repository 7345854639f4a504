import type { DomainEvent } from '#libs/event-sourcing';
import { createToken, hashToken } from '../../src/auth/domain/api-key-token.js';
import { openCommandLine, linesOf, type CommandLine } from '../e2e/command-line.fixture.js';
import { startGraphqlService, type GraphqlService } from '../e2e/graphql.fixture.js';
import { openNewerBuild } from './newer-build.fixture.js';

const SECRET = 'of no business of anyone';
const TOKEN = createToken('development', new Uint8Array(32).fill(7));

const shelter: readonly DomainEvent[] = [{ type: 'shelter-opened', data: { safe: SECRET } }];
const pet: readonly DomainEvent[] = [
  { type: 'pet-registered', data: { chip: SECRET } },
  { type: 'pet-added', data: { name: 'Rex', categoryId: '9223372036854775807', status: 'available', shelter: { id: '1' } } },
  { type: 'pet-vaccinated', data: { by: SECRET } },
];
const key: readonly DomainEvent[] = [
  {
    type: 'api-key-issued',
    data: {
      name: 'newer',
      plan: 'enterprise',
      perMinute: 1_000_000,
      perDay: 1_000_000,
      scopes: ['pets'],
      deployment: 'development',
      hash: hashToken(TOKEN),
      expiresAt: null,
      salt: SECRET,
    },
  },
  { type: 'api-key-sealed', data: { seal: SECRET } },
];
const REX = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"available"}';

/** Appends all of those to the log of a database. Returns the stream of the key. */
async function appendAll(url: string | undefined): Promise<string> {
  const newer = await openNewerBuild(url ?? '');
  await newer.append('shelter', ...shelter);
  await newer.append('pet', ...pet);
  const stream = await newer.append('api-key', ...key);
  await newer.close();
  return stream;
}

describe('events of a newer build', () => {
  describe('in the log of a running service', () => {
    let service: GraphqlService;
    let keyStream: string;
    beforeAll(async () => {
      service = await startGraphqlService();
      keyStream = await appendAll(service.backend['DATABASE_URL']);
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
      const listed = data?.events.nodes.filter(({ stream }) => ['shelter-1', 'pet-1', keyStream].includes(stream));
      expect(listed).toEqual([
        { stream: 'shelter-1', type: 'shelter-opened', schemaVersion: 1, data: {} },
        { stream: 'pet-1', type: 'pet-registered', schemaVersion: 1, data: {} },
        { stream: 'pet-1', type: 'pet-added', schemaVersion: 2, data: pet[1]?.data },
        { stream: 'pet-1', type: 'pet-vaccinated', schemaVersion: 1, data: {} },
        { stream: keyStream, type: 'api-key-issued', schemaVersion: 2, data: {} },
        { stream: keyStream, type: 'api-key-sealed', schemaVersion: 1, data: {} },
      ]);
    });

    it('stand in the history of an animal, which can be seen at any moment', async () => {
      const all = await service.ask<{ events: { nodes: readonly { recordedAt: string }[] } }>(
        '{ events(first: 100) { nodes { recordedAt } } }',
      );
      const { data } = await service.ask(
        'query($last: DateTime) { now: pet(id: 1) { name history { type data } } then: pet(id: 1, asOf: $last) { name categoryId } }',
        { last: all.data?.events.nodes.at(-1)?.recordedAt },
      );
      expect(data).toEqual({
        now: {
          name: 'Rex',
          history: [
            { type: 'pet-registered', data: {} },
            { type: 'pet-added', data: pet[1]?.data },
            { type: 'pet-vaccinated', data: {} },
          ],
        },
        then: { name: 'Rex', categoryId: '9223372036854775807' },
      });
    });
  });

  describe('in the log that the command line works on', () => {
    let commandLine: CommandLine;
    beforeAll(async () => {
      commandLine = await openCommandLine();
      await commandLine.run('db', 'migrate');
      await appendAll(commandLine.backend['DATABASE_URL']);
    });
    afterAll(() => commandLine.remove());

    const printed = async (...words: string[]) => {
      const finished = await commandLine.run(...words);
      expect(finished).toMatchObject({ code: 0, stderr: '' });
      return finished.stdout;
    };

    it('are listed without data whose secrets cannot be known, and verified', async () => {
      const events = linesOf(await printed('events', 'list')).map((line) => JSON.parse(line) as { type: string; data: object });
      expect(events.map(({ type }) => type)).toEqual([...shelter, ...pet, ...key].map(({ type }) => type));
      for (const { type, data } of events) expect(data).toEqual(type === 'pet-added' ? pet[1]?.data : {});
      expect(JSON.parse(await printed('events', 'verify'))).toEqual({ events: 6, streams: 3, problems: [] });
    });

    it.each(['pets', 'api-keys'])('stop no rebuild of %s', async (name) => {
      expect(JSON.parse(await printed('projections', 'rebuild', name))).toMatchObject({ name, upToDate: true });
      expect(await printed('pets', 'export')).toContain('"name":"Rex","categoryId":9223372036854775807');
      expect(JSON.parse(await printed('events', 'verify'))).toMatchObject({ problems: [] });
    });

    it('stop no command on their streams', async () => {
      expect(JSON.parse(await printed('pets', 'set-status', '1', 'sold'))).toMatchObject({ name: 'Rex', status: 'sold', changed: true });
      expect(JSON.parse(await printed('keys', 'set-plan', '1', 'pro'))).toMatchObject({ id: 1, plan: 'pro' });
      expect(JSON.parse(await printed('keys', 'rotate', '1'))).toMatchObject({ id: 1 });
    });
  });
});
