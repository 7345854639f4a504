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
  const get = (index: number, target: string): Promise<Answer> => at(index).client.get(target, { key: token });
  const add = (index: number, body: unknown = REX, headers = {}): Promise<Answer> =>
    at(index).client.post(PETS, body, { key: token, headers });
  const idsOf = (answer: Answer): number[] => answer.json<{ id: number }[]>().map(({ id }) => id);

  it('show what one of them has acknowledged to a read that starts afterwards, whichever answers it', async () => {
    await Promise.all(
      services.map(async (_, writer) => {
        for (let count = 0; count < 10; count += 1) {
          const added = await add(writer);
          const { id } = added.json<{ id: number }>();
          const reader = writer + 1 + (count % 2);
          expect((await get(reader, `${PETS}/${id}`)).text).toBe(added.text);
          expect((await at(reader).client.post('/graphql', { query: `{ pet(id: "${id}") { id } }` }, { key: token })).json()).toMatchObject(
            {
              data: { pet: { id: `${id}` } },
            },
          );
        }
      }),
    );
    const lists = await Promise.all(services.map((_, index) => get(index, `${PETS}?limit=100`)));
    for (const list of lists) expect(list.text).toBe(lists[0]?.text);
    expect(idsOf(await get(0, `${PETS}?limit=100`))).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  });

  it('go on with a cursor of another, and know its entity tags', async () => {
    for (let count = 0; count < 7; count += 1) await add(count);
    const seen: number[] = [];
    for (let target: string | undefined = `${PETS}?limit=2`, index = 0; target !== undefined; index += 1) {
      const page: Answer = await get(index, target);
      seen.push(...idsOf(page));
      target = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const { headers } = await get(0, PETS);
    const again = await at(1).client.get(PETS, { key: token, headers: { 'if-none-match': String(headers.etag) } });
    expect(again.status).toBe(304);
  });

  it('add one animal for one idempotency key, however many of them it reaches at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = { 'idempotency-key': randomUUID() };
      const answers = await Promise.all(Array.from({ length: 9 }, (_, index) => add(index, REX, key)));
      const created = answers.filter(({ status }) => status === 201);
      expect(created.length).toBeGreaterThanOrEqual(1);
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

  it('give out ids and positions in one order, without a gap and without a repeat', async () => {
    await Promise.all(Array.from({ length: 150 }, (_, index) => add(index)));
    const events = await at(0).app.get(EventStore).readAll({ limit: 1_000 });
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => BigInt(index + 1)));
    const pets = events.filter(({ type }) => type === 'pet-added').map(({ stream }) => stream);
    expect(pets).toEqual(Array.from({ length: 150 }, (_, index) => `pet-${index + 1}`));
  });

  it('give the same events in the same order, while all write, also to who changes from one to another or waits at one', async () => {
    const open = (index: number, query: string) => EventStreamClient.open(at(index).origin, { key: token, query });
    const read = (query: string) => at(1).client.get(`/v1/events?${query}`, { key: token, headers: { accept: BATCH } });
    const waiting = read('timeout=30000&after=earliest');
    const streams = await Promise.all([0, 1].map((index) => open(index, '?after=earliest')));
    await Promise.all(Array.from({ length: 150 }, (_, index) => add(index)));
    const [atOne = [], atOther = []] = await Promise.all(streams.map((stream) => stream.events(150)));
    // In development an event names the address of the instance that gives it.
    const told = (events: readonly CloudEvent[]) => events.map((event) => ({ ...event, source: '', dataschema: '' }));
    expect(told(atOther)).toEqual(told(atOne));
    expect(new Set(atOne.map(({ subject }) => subject)).size).toBe(150);
    const changed = await open(2, `?after=${atOne[49]?.id}`);
    expect(told(await changed.events(100))).toEqual(told(atOne).slice(50));
    const page = (await waiting).json<CloudEvent[]>();
    expect(page.length).toBeGreaterThan(0);
    expect(told(page)).toEqual(told(atOne).slice(0, page.length));
    for (const stream of [...streams, changed]) stream.close();
  });

  it('know a key at once when another has made it, and refuse it when another has revoked it', async () => {
    const made = await at(0).issueKey();
    for (const { client } of services) expect((await client.get(PETS, { key: made.token })).status).toBe(200);
    await at(1)
      .app.get(CommandBus)
      .execute(new ChangeApiKey({ type: 'revoke', id: made.id }, { metadata: { actor: 'cli' } }));
    await until(async () => {
      const answers = await Promise.all(services.map(({ client }) => client.get(PETS, { key: made.token })));
      return answers.every(({ status }) => status === 401);
    });
  });
});
