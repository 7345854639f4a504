import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { ChangeApiKey } from '../../src/auth/index.js';
import { createBackend, type TestBackend } from '../databases/test-backend.fixture.js';
import type { Answer } from './api-client.fixture.js';
import { BATCH, EventStreamClient, type CloudEvent } from './event-stream.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7 };

describe('several instances on one database', () => {
  let backend: TestBackend;
  let services: readonly Service[];
  let token: string;
  beforeEach(async () => {
    backend = await createBackend();
    services = await Promise.all([1, 2, 3].map(() => startService({ environment: backend.environment })));
    ({ token } = await at(0).issueKey({ ...UNLIMITED, scopes: ['pets', 'graphql', 'events'] }));
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.close()));
    await backend.remove();
  });

  const at = (index: number): Service => {
    const service = services[index % services.length];
    if (!service) throw new Error('there is no such instance');
    return service;
  };
  const get = (index: number, target: string, headers = {}): Promise<Answer> => at(index).client.get(target, { key: token, headers });
  const add = (index: number, body: unknown = REX, headers = {}): Promise<Answer> =>
    at(index).client.post(PETS, body, { key: token, headers });
  const idsOf = (answer: Answer): number[] => answer.json<{ id: number }[]>().map(({ id }) => id);

  it('show what one has acknowledged to a read that starts afterwards at another, in pages that go on anywhere', async () => {
    await Promise.all(
      services.map(async (_, writer) => {
        for (let count = 0; count < 10; count += 1) {
          const added = await add(writer);
          const { id } = added.json<{ id: number }>();
          const reader = writer + 1 + (count % 2);
          expect((await get(reader, `${PETS}/${id}`)).text).toBe(added.text);
          const asked = await at(reader).client.post('/graphql', { query: `{ pet(id: "${id}") { id } }` }, { key: token });
          expect(asked.json()).toEqual({ data: { pet: { id: `${id}` } } });
        }
      }),
    );
    const seen: number[] = [];
    for (let target: string | undefined = `${PETS}?limit=7`, index = 0; target !== undefined; index += 1) {
      const page: Answer = await get(index, target);
      expect((await get(index + 1, target, { 'if-none-match': page.headers.etag })).status).toBe(304);
      seen.push(...idsOf(page));
      target = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('add one animal for one idempotency key, however many of them it reaches at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = { 'idempotency-key': randomUUID() };
      const answers = await Promise.all(Array.from({ length: 9 }, (_, index) => add(index, REX, key)));
      const created = answers.filter(({ status }) => status === 201);
      expect(new Set(created.map(({ text }) => text)).size).toBe(1);
      for (const { status, text } of answers) {
        if (status !== 201) expect([status, text]).toEqual([409, expect.stringContaining('idempotency_key_in_progress')]);
      }
      const replayed = await add(round, REX, key);
      expect([replayed.text, replayed.headers['idempotency-replayed']]).toEqual([created[0]?.text, 'true']);
      expect((await add(round + 1, { ...REX, name: 'Tom' }, key)).status).toBe(422);
    }
    expect(idsOf(await get(0, PETS))).toHaveLength(5);
  });

  it('give ids, positions and events in one order without a gap, also to who changes from one to another or waits at one', async () => {
    const open = (index: number, query: string) => EventStreamClient.open(at(index).origin, { key: token, query });
    const waiting = get(1, '/v1/events?timeout=30000&after=earliest', { accept: BATCH });
    const streams = await Promise.all([0, 1].map((index) => open(index, '?after=earliest')));
    await Promise.all(Array.from({ length: 150 }, (_, index) => add(index)));
    const log = await at(0).app.get(EventStore).readAll({ limit: 1_000 });
    expect(log.map(({ position }) => position)).toEqual(log.map((_, index) => BigInt(index + 1)));
    const pets = log.filter(({ type }) => type === 'pet-added').map(({ stream }) => stream);
    expect(pets).toEqual(Array.from({ length: 150 }, (_, index) => `pet-${index + 1}`));
    const [atOne = [], atOther = []] = await Promise.all(streams.map((stream) => stream.events(150)));
    // In development an event names the address of the instance that gives it.
    const told = (events: readonly CloudEvent[]) => events.map((event) => ({ ...event, source: '', dataschema: '' }));
    expect(told(atOther)).toEqual(told(atOne));
    expect(atOne.map(({ subject }) => subject)).toEqual(pets.map((stream) => stream.replace('pet-', 'pets/')));
    const changed = await open(2, `?after=${atOne[49]?.id}`);
    expect(told(await changed.events(100))).toEqual(told(atOne).slice(50));
    const page = (await waiting).json<CloudEvent[]>();
    expect(page.length).toBeGreaterThan(0);
    expect(told(page)).toEqual(told(atOne).slice(0, page.length));
    for (const stream of [...streams, changed]) stream.close();
  });

  it('know a key at once that another has made, refuse it soon when it is rotated or revoked, and end its streams', async () => {
    const made = await at(0).issueKey({ ...UNLIMITED, scopes: ['pets', 'events'] });
    const statusesOf = (secret: string) =>
      Promise.all(services.map(async ({ client }) => (await client.get(PETS, { key: secret })).status));
    expect(await statusesOf(made.token)).toEqual([200, 200, 200]);
    const bus = at(1).app.get(CommandBus);
    const { key = '' } = await bus.execute(new ChangeApiKey({ type: 'rotate', id: made.id }, { metadata: { actor: 'cli' } }));
    expect(await statusesOf(key)).toEqual([200, 200, 200]);
    await until(async () => (await statusesOf(made.token)).every((status) => status === 401));
    const streams = await Promise.all(services.map(({ origin }) => EventStreamClient.open(origin, { key, query: '' })));
    await bus.execute(new ChangeApiKey({ type: 'revoke', id: made.id }, { metadata: { actor: 'cli' } }));
    await until(async () => (await statusesOf(key)).every((status) => status === 401));
    await Promise.all(streams.map((stream) => stream.over()));
    expect(streams.map(({ isComplete }) => isComplete)).toEqual([true, true, true]);
  });
});
