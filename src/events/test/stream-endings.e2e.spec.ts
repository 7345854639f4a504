import { CommandBus } from '@nestjs/cqrs';
import { until } from '#libs/testing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { BATCH, EventStreamClient, STREAM } from '../../../test/e2e/event-stream.fixture.js';
import { openManagement } from '../../../test/e2e/management.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';
import { BanApiKey } from '../../auth/index.js';
import { OpenStreams } from '../streams/open-streams.js';

const HOUR = 3_600_000;

describe('a stream', () => {
  let store: Store;
  let key: { readonly id: bigint; readonly token: string };
  let other: string;
  beforeEach(async () => {
    store = await startStore({ environment: { FEED_STREAMS: '4', FEED_STREAM_MINUTES: '60' } });
    key = await store.issueKey({ ...UNLIMITED, scopes: ['events', 'pets'] });
    other = (await store.issueKey({ ...UNLIMITED, scopes: ['events'] })).token;
  });
  afterEach(() => store.close());

  const open = (token = key.token, query = '') => EventStreamClient.open(store.origin, { key: token, query });
  const keys = (...words: string[]) => runHere(store.backend, ['keys', ...words]);
  const ban = (until: number) => {
    const input = { id: key.id, until: new Date(until), step: 1, unbans: 0, metadata: { actor: 'system' } };
    return store.app.get(CommandBus).execute(new BanApiKey(input));
  };
  const untilThereAre = (count: number) => untilOpen(store, count);
  const expectEnd = async (ended: EventStreamClient, stays: EventStreamClient) => {
    await untilThereAre(1);
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

  it('ends when its key expires', async () => {
    key = await store.issueKey({ ...UNLIMITED, scopes: ['events'], expiresAt: new Date(store.clock.now().getTime() + 60_000) });
    const [ended, stays] = [await open(), await open(other)];
    store.clock.advance(60_000);
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

  it('ends after its time, in good order, for the client to come again', async () => {
    const stream = await open();
    store.clock.advance(HOUR - 1_000);
    const another = await open(other);
    store.clock.advance(1_000);
    await expectEnd(stream, another);
  });

  it('ends with the instance', async () => {
    const stream = await open();
    await store.app.close();
    await stream.over();
    expect(stream.isComplete).toBe(true);
  });

  it('is one too many for the instance beyond its share, for every client', async () => {
    for (const token of [key.token, other, key.token, other]) expect((await open(token)).status).toBe(200);
    const refused = await store.client.get('/v1/events', { key: other, headers: { accept: STREAM } });
    expect(refused.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(refused.headers['retry-after']).toBe('10');
    const waiting = await store.client.get('/v1/events?timeout=1000&after=1', { key: other, headers: { accept: BATCH } });
    expect(waiting.json()).toMatchObject({ code: 'service_unavailable' });
    expect((await store.client.get('/v1/events', { key: other })).status).toBe(200);
  });

  it('is shown by metrics, without counting among the durations of requests', async () => {
    const management = await openManagement(store);
    const stream = await open();
    expect(await management.sample('adoption_feed_streams')).toBe(1);
    expect(await management.sample('adoption_feed_lag_positions')).toBe(0);
    stream.close();
    await untilThereAre(0);
    expect(await management.sample('adoption_feed_streams')).toBe(0);
    const labels = { method: 'GET', route: '/v1/events' };
    expect(await management.sample('adoption_http_requests_total', { ...labels, status: '200' })).toBe(1);
    expect(await management.sample('adoption_http_request_duration_seconds_count', labels)).toBeUndefined();
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
    const resumed = await EventStreamClient.open(store.origin, { key: key.token, headers: { 'last-event-id': beginning } });
    const subjects = (await resumed.events(added.length)).map(({ subject }) => subject);
    expect(subjects).toEqual(added.sort((left, right) => left - right).map((id) => `pets/${id}`));
  });
});

describe('a page that waits', () => {
  let store: Store;
  let token: string;
  beforeEach(async () => {
    store = await startStore();
    ({ token } = await store.issueKey({ ...UNLIMITED, scopes: ['events'] }));
  });
  afterEach(() => store.close());

  const read = (query: string) => store.client.get(`/v1/events?${query}`, { key: token, headers: { accept: BATCH } });
  const untilThereAre = (count: number) => untilOpen(store, count);

  it('is answered with what is there already, without waiting', async () => {
    await store.addSeveral(2);
    expect((await read('timeout=30000')).json()).toHaveLength(2);
    expect((await read('timeout=30000&limit=1')).headers.link).toMatch(/rel="next"/);
  });

  it('is answered when something that is meant happens, and by nothing else', async () => {
    const [one = 0, another = 0] = await store.addSeveral(2);
    const { id: last } = (await read('limit=100')).json<{ id: string }[]>().at(-1) ?? { id: '' };
    const waiting = read(`after=${last}&type=pet.withdrawn&subject=pets/${one}&timeout=30000`);
    await untilThereAre(1);
    await store.change(one, { name: 'Max' });
    await store.withdraw(another);
    await store.withdraw(one);
    expect((await waiting).json()).toMatchObject([{ type: 'pet.withdrawn', subject: `pets/${one}` }]);
    await untilThereAre(0);
  });

  it('is answered with nothing when its time is over', async () => {
    const page = await read('timeout=50');
    expect([page.status, page.text]).toEqual([200, '[]']);
  });

  it('is answered with nothing at once where it need not wait', async () => {
    expect((await read('timeout=0')).text).toBe('[]');
    expect((await read('')).text).toBe('[]');
  });

  it('meets every event once, however many wait at once while others write', async () => {
    const wanted = 60;
    const follow = async () => {
      const seen: string[] = [];
      for (let after = '0'; seen.length < wanted;) {
        const events = (await read(`after=${after}&timeout=5000&limit=7`)).json<{ id: string; subject: string }[]>();
        seen.push(...events.map(({ subject }) => subject));
        after = events.at(-1)?.id ?? after;
      }
      return seen;
    };
    const following = Promise.all([follow(), follow(), follow()]);
    const added: number[] = [];
    while (added.length < wanted) added.push(...(await store.addSeveral(6)));
    for (const seen of await following) expect(seen).toEqual(added.map((id) => `pets/${id}`));
  });

  it('ends with its key, and with the instance', async () => {
    const { id, token: revoked } = await store.issueKey({ ...UNLIMITED, scopes: ['events'] });
    const waiting = store.client.get('/v1/events?timeout=30000', { key: revoked, headers: { accept: BATCH } });
    await untilThereAre(1);
    await runHere(store.backend, ['keys', 'revoke', `${id}`]);
    expect((await waiting).text).toBe('[]');
    const last = read('timeout=30000');
    await untilThereAre(1);
    const closed = store.app.close();
    expect((await last).text).toBe('[]');
    store.client.close();
    await closed;
  });
});

/** Resolves when so many are open. */
async function untilOpen({ app }: Store, count: number): Promise<void> {
  await until(() => app.get(OpenStreams).count === count);
}
