import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { BATCH, EventStreamClient, STREAM } from '../../../test/e2e/event-stream.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';
import { KeyDecisions } from '../../auth/index.js';
import { OpenStreams } from '../streams/open-streams.js';

const HOUR = 3_600_000;

describe('an open stream', () => {
  let store: Store;
  let key: { readonly id: bigint; readonly token: string };
  let other: string;
  beforeAll(async () => (store = await startStore({ environment: { FEED_STREAMS: '4', FEED_STREAM_MINUTES: '60' } })));
  afterAll(() => store.close());
  beforeEach(async () => {
    key = await store.issueKey({ ...UNLIMITED, scopes: ['events', 'pets'] });
    other = (await store.issueKey({ ...UNLIMITED, scopes: ['events'] })).token;
  });
  afterEach(async () => {
    for (const stream of opened.splice(0)) stream.close();
    await untilOpen(store, 0);
  });

  const opened: EventStreamClient[] = [];
  const open = async (token = key.token, headers = {}) => {
    const stream = await EventStreamClient.open(store.origin, { key: token, headers });
    opened.push(stream);
    return stream;
  };
  const keys = (...words: string[]) => runHere(store.backend, ['keys', ...words]);
  const ban = (until: number) => {
    const change = { type: 'record-ban', until: new Date(until), step: 1, unbans: 0 } as const;
    return store.app.get(KeyDecisions).append(key.id, change, { metadata: { actor: 'system' } });
  };
  const expectEnd = async (ended: EventStreamClient, stays: EventStreamClient) => {
    await untilOpen(store, 1);
    await ended.over();
    expect([ended.isComplete, stays.isComplete]).toEqual([true, false]);
    const [id] = await store.addSeveral(1);
    expect(await stays.events(1)).toMatchObject([{ subject: `pets/${id}` }]);
  };

  it.each([
    ['revoked', () => keys('revoke', `${key.id}`)],
    ['rotated', () => keys('rotate', `${key.id}`)],
    ['banned', () => ban(store.clock.now().getTime() + HOUR)],
    ['without the scope', () => keys('remove-scope', `${key.id}`, 'events')],
  ])('ends in good order when its key is %s, and no other one', async (_, act) => {
    const [ended, stays] = [await open(), await open(other)];
    await act();
    await expectEnd(ended, stays);
  });

  it('continues while its key is rotated with a grace, and ends with that', async () => {
    store.clock.set(new Date());
    const [ended, stays] = [await open(), await open(other)];
    expect((await keys('rotate', `${key.id}`, '--grace', '1m')).code).toBe(0);
    const [id] = await store.addSeveral(1);
    expect(await ended.events(1)).toMatchObject([{ subject: `pets/${id}` }]);
    await stays.events(1);
    store.clock.advance(120_000);
    await expectEnd(ended, stays);
  });

  it('ends when its key expires', async () => {
    const expiresAt = new Date(store.clock.now().getTime() + 60_000);
    const { token } = await store.issueKey({ ...UNLIMITED, scopes: ['events'], expiresAt });
    const [ended, stays] = [await open(token), await open(other)];
    store.clock.advance(60_000);
    await expectEnd(ended, stays);
  });

  it('ends after its time, in good order, for the client to come again', async () => {
    const stream = await open();
    store.clock.advance(HOUR - 1_000);
    const another = await open(other);
    store.clock.advance(1_000);
    await expectEnd(stream, another);
  });

  it('is one too many for the instance beyond its share, for every client', async () => {
    for (const token of [key.token, other, key.token, other]) expect((await open(token)).status).toBe(200);
    const refused = await store.client.get('/v1/events', { key: other, headers: { accept: STREAM } });
    expect(refused.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(refused.headers['retry-after']).toBe('10');
    const after = await store.app.get(EventStore).lastPosition();
    const waiting = await store.client.get(`/v1/events?timeout=1000&after=${after}`, { key: other, headers: { accept: BATCH } });
    expect(waiting.json()).toMatchObject({ code: 'service_unavailable' });
    expect((await store.client.get('/v1/events', { key: other })).status).toBe(200);
  });

  it('that is not read is cut when it has left too much unread, misses nothing when it comes again, and holds up no other one', async () => {
    const [slow, quick] = [await open(), await open(other)];
    await slow.next();
    const { id: beginning = '' } = await slow.next();
    slow.stopReading();
    const note = '🐕'.repeat(200);
    const added: number[] = [];
    while (store.app.get(OpenStreams).count === 2) {
      const bodies = Array.from({ length: 200 }, (_, index) => ({ name: `${note}${index}`, categoryId: 7 }));
      const answers = await Promise.all(bodies.map((body) => store.client.post('/v1/pets', body)));
      added.push(...answers.map((answer) => answer.json<{ id: number }>().id));
      await quick.events(200);
    }
    slow.readOn();
    await slow.over();
    expect(slow.isComplete).toBe(false);
    const resumed = await open(key.token, { 'last-event-id': beginning });
    const subjects = (await resumed.events(added.length)).map(({ subject }) => subject);
    expect(subjects).toEqual(added.sort((left, right) => left - right).map((id) => `pets/${id}`));
  });

  describe('that is a page which waits', () => {
    let last: string;
    beforeEach(async () => (last = `after=${await store.app.get(EventStore).lastPosition()}`));

    const read = (query: string, token = other) => store.client.get(`/v1/events?${query}`, { key: token, headers: { accept: BATCH } });

    it('gives every event once, however many wait at once while others write', async () => {
      const wanted = 60;
      const follow = async () => {
        const seen: string[] = [];
        for (let after = last; seen.length < wanted;) {
          const events = (await read(`${after}&timeout=5000&limit=7`)).json<{ id: string; subject: string }[]>();
          seen.push(...events.map(({ subject }) => subject));
          after = events.length > 0 ? `after=${events.at(-1)?.id}` : after;
        }
        return seen;
      };
      const following = Promise.all([follow(), follow(), follow()]);
      const added: number[] = [];
      while (added.length < wanted) added.push(...(await store.addSeveral(6)));
      for (const seen of await following) expect(seen).toEqual(added.map((id) => `pets/${id}`));
    });
  });

  it('ends in good order with the instance, and so does a page that waits', async () => {
    const ending = await startStore();
    const { token } = await ending.issueKey({ ...UNLIMITED, scopes: ['events'] });
    const stream = await EventStreamClient.open(ending.origin, { key: token });
    const waiting = ending.client.get('/v1/events?timeout=30000', { key: token, headers: { accept: BATCH } });
    await untilOpen(ending, 2);
    const closed = ending.app.close();
    await stream.over();
    expect([stream.isComplete, (await waiting).text]).toEqual([true, '[]']);
    ending.client.close();
    await closed;
    await ending.close();
  });
});

/** Resolves when so many are open. */
async function untilOpen({ app }: Store, count: number): Promise<void> {
  await until(() => app.get(OpenStreams).count === count);
}
