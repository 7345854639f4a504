import { ORDERS, startStore, told, type Store } from '../../../test/e2e/store.fixture.js';

const MOVES = [
  { move: 'approve', from: 'placed', to: 'approved', elsewhere: 'delivered', code: 'order_not_placed' },
  { move: 'deliver', from: 'approved', to: 'delivered', elsewhere: 'placed', code: 'order_not_approved' },
  { move: 'cancel', from: 'placed', to: 'cancelled', elsewhere: 'delivered', code: 'order_not_open' },
] as const;

/** What names the tag that holds, and what does not. */
const MET = [(tag: string) => tag, (tag: string) => `"x", ${tag} ,"y"`, (tag: string) => ['"x"', tag], () => '*'];
const NOT_MET = [(tag: string) => `W/${tag}`, () => '"x"', () => ''];
const NO_LISTS = [(tag: string) => tag.slice(1, -1), (tag: string) => `*, ${tag}`];

describe.each(MOVES)('$move with If-Match', ({ move, from, to, elsewhere, code }) => {
  let store: Store;
  beforeAll(async () => (store = await startStore()));
  afterAll(() => store.close());

  const tagOf = async (id: number) => String((await store.client.get(`${ORDERS}/${id}`, { key: store.customer })).headers.etag);
  const moveIf = (id: number, condition: string | string[], key = store.staff) =>
    store.move(id, move, { key, headers: { 'if-match': condition } });

  it('is done when the tag of GET is named, or *', async () => {
    for (const conditionOf of MET) {
      const { id } = await store.toOrderSnapshot(from);
      const answer = await moveIf(id, conditionOf(await tagOf(id)));
      expect(answer.json()).toMatchObject({ id, status: to });
      expect(answer.headers.etag).toBe(await tagOf(id));
    }
  });

  it('is refused with the tag that holds when that is not named, be it weakly', async () => {
    const { id } = await store.toOrderSnapshot(from);
    const tag = await tagOf(id);
    for (const conditionOf of NOT_MET) {
      const answer = await moveIf(id, conditionOf(tag));
      expect(answer.json()).toMatchObject({ code: 'precondition_failed', status: 412 });
      expect(answer.headers.etag).toBe(tag);
    }
    for (const conditionOf of NO_LISTS) {
      const refusal = { code: 'invalid_parameter', status: 400, errors: [{ field: 'If-Match', rule: 'entityTag' }] };
      expect((await moveIf(id, conditionOf(tag))).json()).toMatchObject(refusal);
    }
    expect(await tagOf(id)).toBe(tag);
  });

  it('continues from one response to the next', async () => {
    const order = await store.order({ petId: await store.addAvailable() });
    let tag = String(order.headers.etag);
    const { id } = order.json<{ id: number }>();
    for (const step of move === 'deliver' ? ['approve', 'deliver'] : [move]) {
      const answer = await store.move(id, step, { headers: { 'if-match': tag } });
      expect(answer.status).toBe(200);
      tag = String(answer.headers.etag);
    }
    expect(await tagOf(id)).toBe(tag);
  });

  it('is checked before the status of the order, even if nothing changes', async () => {
    const [refused, done] = [await store.toOrderSnapshot(elsewhere), await store.toOrderSnapshot(to)];
    const events = await store.recordedBy(async () => {
      for (const { id } of [refused, done]) expect((await moveIf(id, '"x"')).status).toBe(412);
      expect((await moveIf(refused.id, await tagOf(refused.id))).json()).toMatchObject({ code, status: 409 });
      expect((await moveIf(done.id, await tagOf(done.id))).status).toBe(200);
    });
    expect(told(events)).toEqual([]);
  });

  it('is not checked if there is no order, or none that the key may change', async () => {
    const { id } = await store.toOrderSnapshot(from);
    const forbidden = { ...(move === 'cancel' ? { code: 'not_found', status: 404 } : { code: 'insufficient_scope', status: 403 }) };
    for (const condition of ['"x"', '*', await tagOf(id)]) {
      expect((await moveIf(999_999, condition)).json()).toMatchObject({ code: 'not_found', status: 404 });
      expect((await moveIf(id, condition, store.neighbour)).json()).toMatchObject(forbidden);
    }
  });
});
