import type { Answer } from './api-client.fixture.js';
import { startStore, told, type Store } from './store.fixture.js';

const MERGE_PATCH = 'application/merge-patch+json';

// The rules of animals and their orders are tested by a model (orders-model.e2e.spec.ts); here is what it does not say.
describe('changes of an animal', () => {
  let store: Store;
  beforeAll(async () => (store = await startStore()));
  afterAll(() => store.close());

  const get = (petId: number) => store.client.get(`/v1/pets/${petId}`);
  const list = (ids: string, headers: Readonly<Record<string, string>> = {}) => store.client.get(`/v1/pets?ids=${ids}`, { headers });
  const patch = (petId: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    store.client.send('PATCH', `/v1/pets/${petId}`, { key: store.keeper, body, headers });
  const withdraw = (petId: number, query = '?reason=moved%20away', headers: Readonly<Record<string, string>> = {}) =>
    store.client.send('DELETE', `/v1/pets/${petId}${query}`, { key: store.keeper, headers });
  /** The answer to a change, which has to be the animal as GET gives it from then on. */
  const changed = async (petId: number, body: unknown, headers?: Readonly<Record<string, string>>) => {
    const answer = await patch(petId, body, headers);
    expect(answer.status).toBe(200);
    const read = await get(petId);
    expect([answer.text, answer.headers.etag]).toEqual([read.text, read.headers.etag]);
    return answer.json();
  };
  const expectUntold = async (refused: () => Promise<Answer>, refusal: object) => {
    const answers: Answer[] = [];
    expect(told(await store.recordedBy(async () => answers.push(await refused())))).toEqual([]);
    expect(answers[0]?.json()).toMatchObject(refusal);
    return answers[0];
  };

  const WRITES = [
    ['PATCH', (petId: number, headers?: Readonly<Record<string, string>>) => patch(petId, { name: 'Max' }, headers)],
    ['DELETE', (petId: number, headers?: Readonly<Record<string, string>>) => withdraw(petId, undefined, headers)],
  ] as const;

  describe('PATCH', () => {
    it.each(['application/json', MERGE_PATCH, 'Application/Merge-Patch+JSON; charset=UTF-8'])('takes %s', async (type) => {
      const id = await store.addAvailable();
      expect(await changed(id, { name: 'Zoë' }, { 'content-type': type })).toEqual({ id, name: 'Zoë', categoryId: 7, status: 'available' });
    });

    it('changes all that is given in one append, and nothing else', async () => {
      const id = await store.addAvailable();
      const events = await store.recordedBy(() => changed(id, '{"status":"sold","categoryId":9223372036854775807,"name":"Mia"}'));
      expect(told(events)).toEqual([`pet-${id} pet-corrected`, `pet-${id} pet-status-set`]);
      expect(events.map(({ data }) => data)).toEqual([{ name: 'Mia', categoryId: '9223372036854775807' }, { status: 'sold' }]);
      expect(new Set(events.map(({ metadata }) => metadata.requestId)).size).toBe(1);
      expect((await get(id)).text).toBe(`{"id":${id},"name":"Mia","categoryId":9223372036854775807,"status":"sold"}`);
      expect(await changed(id, { categoryId: -1 })).toEqual({ id, name: 'Mia', categoryId: -1, status: 'sold' });
    });

    it('is refused as a whole, whether or not the animal is there', async () => {
      const refusal = { code: 'invalid_request', errors: [{ field: 'status' }], status: 400 };
      for (const petId of [await store.addAvailable(), 999_999]) {
        await expectUntold(() => patch(petId, { name: 'Max', status: null }), refusal);
      }
    });
  });

  describe('DELETE', () => {
    it('withdraws an animal once, with the reason, and cancels and names its order', async () => {
      const { id, petId } = await store.place();
      const events = await store.recordedBy(async () => {
        const answer = await withdraw(petId);
        expect([answer.status, answer.text, answer.headers['x-cancelled-order']]).toEqual([204, '', `${id}`]);
      });
      expect(told(events)).toEqual([`order-${id} order-cancelled`, `pet-${petId} pet-withdrawn`]);
      expect(events.map(({ data }) => data)).toEqual([{ reason: 'moved away' }, { reason: 'moved away' }]);
      expect((await get(petId)).status).toBe(404);
      for (const [, write] of WRITES) await expectUntold(() => write(petId), { code: 'not_found', status: 404 });
    });
  });

  describe.each(WRITES)('%s with If-Match', (_method, write) => {
    it('is done when the tag of GET, also of a list of it only, is named, and refused with the tag that holds when it is not', async () => {
      for (const conditionOf of [(tag: string) => `"x", ${tag}`, () => '*']) {
        const id = await store.addAvailable();
        const tag = String((await get(id)).headers.etag);
        const conditions = [{}, {}, { 'if-none-match': tag }];
        const lists = [...(await Promise.all(conditions.map((headers) => list(`${id}`, headers)))), await list(`${id},999999`)];
        expect(lists.map(({ status, headers }) => [status, headers.etag])).toEqual([200, 200, 304, 200].map((status) => [status, tag]));
        for (const condition of ['"x"', `W/${tag}`]) {
          const answer = await expectUntold(() => write(id, { 'if-match': condition }), { code: 'precondition_failed', status: 412 });
          expect(answer?.headers.etag).toBe(tag);
        }
        expect((await write(id, { 'if-match': conditionOf(tag) })).status).toBeLessThan(300);
        expect((await list(`${id}`, { 'if-none-match': tag })).status).toBe(200);
        const [several, other] = [await list(`${id},${await store.addAvailable()},${await store.addAvailable()}`), await list(`${id}`)];
        expect(several.headers.etag).not.toBe(other.headers.etag);
      }
    });

    it('is refused for want of the animal first, and for its order last', async () => {
      await expectUntold(() => write(999_999, { 'if-match': '"x"' }), { code: 'not_found', status: 404 });
      const { petId } = await store.place();
      for (const body of [{ status: 'sold' }, {}]) {
        await expectUntold(() => patch(petId, body, { 'if-match': '"x"' }), { code: 'precondition_failed', status: 412 });
      }
    });
  });
});
