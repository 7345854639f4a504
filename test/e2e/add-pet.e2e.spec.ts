import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '#libs/http';
import { repeatWithoutReads } from './repeated-request.fixture.js';
import { startService, type Service } from './service.fixture.js';

const valid = { name: 'Rex', categoryId: 7 };

describe('POST /v1/pets', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const add = (body: unknown, headers: Record<string, string> = {}) => service.client.post('/v1/pets', body, { headers });

  it('adds an animal and says where it is', async () => {
    const answer = await add({ name: 'Mia', categoryId: 3, status: 'available' });
    expect(answer.status).toBe(201);
    const { id } = answer.json<{ id: number }>();
    expect(answer.text).toBe(`{"id":${id},"name":"Mia","categoryId":3,"status":"available"}`);
    expect(answer.headers.location).toBe(`/v1/pets?ids=${id}`);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect((await service.client.get(answer.headers.location ?? '')).text).toBe(`[${answer.text}]`);
  });

  it('keeps every int64 exactly', async () => {
    const edges = [INT64_MAX, INT64_MIN, 0n, -1n, 9_007_199_254_740_993n, -9_007_199_254_740_993n];
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.constantFrom(...edges), fc.bigInt(INT64_MIN, INT64_MAX)), async (categoryId) => {
        const answer = await add(`{"name":"x","categoryId":${categoryId}}`);
        expect(answer.status).toBe(201);
        expect(answer.text).toContain(`"categoryId":${categoryId}}`);
        expect((await service.client.get(answer.headers.location ?? '')).text).toBe(`[${answer.text}]`);
      }),
      { numRuns: 20, examples: edges.map((edge) => [edge]) },
    );
  });

  it('keeps every name of 1 to 255 Unicode characters as it was sent', async () => {
    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 255 })
      .filter((text) => !text.includes('\0') && /\P{White_Space}/u.test(text));
    await fc.assert(
      fc.asyncProperty(name, async (sent) => {
        const answer = await add({ name: sent, categoryId: 1 });
        expect(answer.status).toBe(201);
        expect(answer.json()['name']).toBe(sent);
      }),
      { numRuns: 30, examples: [[' a '], ['é'], ['e\u0301'], ['🐕'.repeat(255)], ['\u202Ea']] },
    );
  });

  it('gives overlapping requests ids without a duplicate or a gap', async () => {
    const first = (await add(valid)).json<{ id: number }>().id;
    const answers = await Promise.all(Array.from({ length: 100 }, () => add(valid)));
    const ids = answers.map((answer) => answer.json<{ id: number }>().id).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 100 }, (_, index) => first + 1 + index));
  });

  describe('with an Idempotency-Key', () => {
    const withKey = (key: string, body: unknown, token?: string) =>
      service.client.post('/v1/pets', body, { headers: { 'idempotency-key': key }, ...(token === undefined ? {} : { key: token }) });

    it('replays the first answer for the same values, however they are written', async () => {
      const first = await withKey('k-1', '{"name":"Zoë","categoryId":1}');
      const again = await withKey('"k-1"', '{ "categoryId": 1, "name": "Zo\\u00eb" }');
      expect(first.headers['idempotency-replayed']).toBeUndefined();
      expect(again).toMatchObject({ status: 201, text: first.text });
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(again.headers.location).toBe(first.headers.location);
    });

    it('replays the first answer before anything is read', async () => {
      const { first, again } = await repeatWithoutReads(service, () => withKey('k-unread', valid));
      expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } });
    });

    it('refuses other values', async () => {
      await withKey('k-2', valid);
      for (const other of [
        { ...valid, status: 'sold' },
        { ...valid, name: 'Rex ' },
        { ...valid, categoryId: 8 },
      ]) {
        expect((await withKey('k-2', other)).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
      }
    });

    it('adds one animal for many overlapping requests; the others hear that it is running', async () => {
      const answers = await Promise.all(Array.from({ length: 30 }, () => withKey('k-3', valid)));
      const added = answers.filter(({ status }) => status === 201);
      expect(added.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
      for (const { status, text } of answers) {
        expect(status === 201 ? text : status).toBe(status === 201 ? added[0]?.text : 409);
      }
    });

    it('leaves the key free after a refusal', async () => {
      expect((await withKey('k-4', { name: 'a' })).status).toBe(400);
      expect((await withKey('k-4', valid)).headers['idempotency-replayed']).toBeUndefined();
    });

    it('keeps the keys of one caller apart from those of another', async () => {
      const other = await service.issueKey();
      const first = await withKey('k-5', valid);
      expect((await withKey('k-5', valid, other.token)).text).not.toBe(first.text);
    });
  });
});
