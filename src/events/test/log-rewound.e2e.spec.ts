import { EventStore } from '#libs/event-sourcing';
import { expectEventually } from '#libs/testing';
import { tamperWith } from '../../../test/databases/test-database.fixture.js';
import { BATCH, EventStreamClient, type CloudEvent } from '../../../test/e2e/event-stream.fixture.js';
import { openManagement } from '../../../test/e2e/management.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

const LEAST_JUMP = 1_000_000_000n;

describe('a log that goes back under a running service', () => {
  let store: Store;
  let key: string;
  beforeEach(async () => {
    store = await startStore();
    key = (await store.issueKey({ ...UNLIMITED, scopes: ['events', 'graphql'] })).token;
  });
  afterEach(() => store.close());

  const open = (query: string) => EventStreamClient.open(store.origin, { key, query });
  const read = (query: string, headers = {}) => store.client.get(`/v1/events${query}`, { key, headers });
  const last = () => store.app.get(EventStore).lastPosition();
  /** As a restore in place does: the log ends at this position, and the counters say so too. */
  const goBackTo = (position: bigint) =>
    tamperWith(
      store.backend['DATABASE_URL'] ?? '',
      `BEGIN;
       DELETE FROM "events" WHERE "position" > ${position};
       UPDATE "sequences" SET "last_value" = ${position}
         WHERE "last_value" > ${position} AND ("name" = 'position' OR "name" LIKE 'type:%');
       COMMIT`,
    );

  it('never gives a position out a second time, and counts it once in a metric', async () => {
    const management = await openManagement(store);
    await store.addSeveral(3);
    const lost = await last();
    await goBackTo(lost - 2n);
    await store.addSeveral(2);
    const events = await store.app.get(EventStore).readAll({ after: lost - 2n, limit: 10 });
    expect(events).toHaveLength(2);
    for (const { position } of events) expect(position).toBeGreaterThan(lost + LEAST_JUMP);
    await expectEventually(async () => (await last()) > 0n && (await management.sample('adoption_log_rewinds_total')), 1);
    await store.addSeveral(2);
    await last();
    expect(await management.sample('adoption_log_rewinds_total')).toBe(1);
    expect(await management.sample('adoption_feed_lag_positions')).toBe(0);
  });

  it('ends streams; a position that was lost is refused with the one up to which all is as it was, behind which no event is missing', async () => {
    const kept = await store.addSeveral(2);
    const agreed = await last();
    const stream = await open('?after=earliest');
    await store.addSeveral(2);
    const seen = await stream.events(4);
    await goBackTo(agreed);
    await stream.over();
    expect(stream.isComplete).toBe(true);

    const lost = seen.at(-1)?.id;
    const again = await open(`?after=${lost}`);
    expect(again.status).toBe(410);
    const added = await store.addSeveral(3);
    for (const query of [`?after=${lost}`, `?after=${lost}&limit=1`, '?after=9223372036854775807']) {
      expect((await read(query)).json()).toMatchObject({ code: 'log_rewound', status: 410 });
    }
    const waiting = await read(`?after=${lost}&timeout=20000`, { accept: BATCH });
    expect(Object.keys(waiting.json()).sort()).toEqual(['code', 'message', 'status']);
    expect(waiting.json<{ message: string }>().message).toContain(`continue with after=${agreed}.`);
    const resumed = await (await open(`?after=${agreed}`)).events(3);
    expect(resumed.map(({ subject }) => subject)).toEqual(added.map((id) => `pets/${id}`));
    const all = (await read('?after=earliest')).json<CloudEvent[]>();
    expect(all.map(({ subject }) => subject)).toEqual([...kept, ...added].map((id) => `pets/${id}`));
  });

  it('refuses a position beyond its end', async () => {
    await store.addSeveral(2);
    const end = await last();
    const { code, message } = (await read(`?after=${end + 5n}`)).json<{ code: string; message: string }>();
    expect(code).toBe('log_rewound');
    expect(message).toBe(
      `There is no event at position ${end + 5n}. If one was read there, the log was failed over or restored without it: ` +
        `drop the events after ${end}, and continue with after=${end}.`,
    );
  });

  it('refuses a cursor of the log over GraphQL that was lost', async () => {
    await store.addSeveral(2);
    const query = `query ($after: String) { events(first: 100, after: $after) { pageInfo { endCursor } } }`;
    const post = (after: string | null) => store.client.post('/graphql', { query, variables: { after } }, { key });
    const { endCursor } = (await post(null)).json<{ data: { events: { pageInfo: { endCursor: string } } } }>().data.events.pageInfo;
    expect((await post(endCursor)).json()).not.toHaveProperty('errors');
    await goBackTo((await last()) - 1n);
    expect((await post(endCursor)).json()).toMatchObject({ errors: [{ extensions: { code: 'log_rewound' } }] });
  });
});
