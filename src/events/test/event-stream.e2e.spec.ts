import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { EventStreamClient, STREAM, type StreamOptions } from '../../../test/e2e/event-stream.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';
import { OpenStreams } from '../streams/open-streams.js';

const SILENCE = 15_000;

describe('a stream of events', () => {
  let store: Store;
  let key: { readonly id: bigint; readonly token: string };
  let beginning: string;
  beforeAll(async () => (store = await startStore({ environment: { FEED_STREAMS_PER_KEY: '3' } })));
  afterAll(() => store.close());
  beforeEach(async () => {
    key = await store.issueKey({ ...UNLIMITED, scopes: ['events'] });
    beginning = String(await store.app.get(EventStore).lastPosition());
  });
  afterEach(async () => {
    for (const stream of opened.splice(0)) stream.close();
    await untilThereAre(0);
  });

  const opened: EventStreamClient[] = [];
  const open = async (query = '', options: Partial<StreamOptions> = {}) => {
    const stream = await EventStreamClient.open(store.origin, { key: key.token, query, ...options });
    opened.push(stream);
    return stream;
  };
  const subjectsOf = async (stream: EventStreamClient, count: number) =>
    (await stream.events(count)).map(({ type, subject }) => `${type} ${subject}`);
  const untilThereAre = (count: number) => until(() => store.app.get(OpenStreams).count === count);

  it('tells where it begins and then what happens, each event on one line without a name, and misses nothing when it is cut', async () => {
    const stream = await open();
    await stream.next();
    const { event, id: bookmark = '', data: position } = await stream.next();
    expect([event, position]).toEqual(['bookmark', `{"position":"${bookmark}"}`]);
    const [id] = await store.addSeveral(1);
    const { id: at, data = '', ...others } = await stream.next();
    expect(others).toEqual({});
    expect(BigInt(at ?? 0)).toBeGreaterThan(BigInt(bookmark));
    expect(JSON.parse(data)).toMatchObject({ id: at, type: 'pet.added', subject: `pets/${id}`, data: { id } });
    stream.close();
    await store.withdraw(id ?? 0);
    const resumed = await open('', { headers: { 'last-event-id': bookmark } });
    expect(await subjectsOf(resumed, 2)).toEqual([`pet.added pets/${id}`, `pet.withdrawn pets/${id}`]);
  });

  it.each([
    ['the header before the query', '?after=9000', 'BEGINNING'],
    ['the query where the header is empty', '?after=BEGINNING', ''],
  ])('begins where %s says, goes through a log of many pages, and on with what happens meanwhile', async (_, query, id) => {
    const earlier = await store.addSeveral(250);
    const stream = await open(query.replace('BEGINNING', beginning), { headers: { 'last-event-id': id.replace('BEGINNING', beginning) } });
    const later = await store.addSeveral(250);
    expect(await subjectsOf(stream, 500)).toEqual([...earlier, ...later].map((each) => `pet.added pets/${each}`));
  });

  it('tells only of the types and the subject that are asked for', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    const stream = await open(`?after=${beginning}&type=pet.withdrawn,pet.corrected&subject=pets/${one}`);
    await store.change(other, { name: 'Ana' });
    await store.change(one, { name: 'Max' });
    await store.change(one, { status: 'sold' });
    await store.withdraw(one);
    expect(await subjectsOf(stream, 2)).toEqual([`pet.corrected pets/${one}`, `pet.withdrawn pets/${one}`]);
  });

  it('breaks a silence by a comment, and by a bookmark after events that do not match', async () => {
    const stream = await open(`?after=${beginning}&type=order.placed`);
    await stream.next();
    /** Until the stream has come to what was just added, a silence is broken by a comment. */
    const nextBookmark = async () => {
      let next: Awaited<ReturnType<typeof stream.next>>;
      do {
        store.clock.advance(SILENCE);
        next = await stream.next();
      } while (next.event === undefined);
      return next;
    };
    await store.addSeveral(1);
    const { event, id = '', data } = await nextBookmark();
    expect([event, data]).toEqual(['bookmark', `{"position":"${id}"}`]);
    store.clock.advance(SILENCE);
    expect(await stream.next()).toEqual({ '': '' });
    const [petId = 0] = await store.addSeveral(1);
    expect(Number((await nextBookmark()).id)).toBeGreaterThan(Number(id));
    const { id: orderId } = await store.place(petId);
    expect(await subjectsOf(stream, 1)).toEqual([`order.placed orders/${orderId}`]);
    const resumed = await open('?type=order.placed', { headers: { 'last-event-id': id } });
    expect(await subjectsOf(resumed, 1)).toEqual([`order.placed orders/${orderId}`]);
  });

  it('is one too many for a key beyond its share, until another one has ended, and never leads to a ban', async () => {
    const streams = [await open(), await open(), await open()];
    for (let times = 0; times < 50; times += 1) {
      const refused = await store.client.get('/v1/events', { key: key.token, headers: { accept: STREAM } });
      expect(refused.json()).toMatchObject({ code: 'too_many_streams', status: 429 });
      expect(refused.headers['retry-after']).toBe('10');
    }
    expect((await open('', { key: (await store.issueKey({ scopes: ['events'] })).token })).status).toBe(200);
    streams[0]?.close();
    await untilThereAre(3);
    expect((await open()).status).toBe(200);
  });

  it('gives way after half a minute to a new one of its key, since its client may have vanished without a word', async () => {
    const streams = [await open(), await open(), await open()];
    store.clock.advance(30_000);
    const fourth = await open();
    await streams[0]?.over();
    expect([fourth.status, streams[0]?.isComplete]).toEqual([200, true]);
    await store.addSeveral(1);
    for (const stream of [streams[1], streams[2], fourth]) expect(await stream?.events(1)).toHaveLength(1);
  });
});
