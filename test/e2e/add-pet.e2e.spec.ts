import { CommandBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { Database, sql } from '#libs/database';
import { INT64_MAX, INT64_MIN } from '#libs/http';
import { RotateApiKey } from '../../src/auth/index.js';
import { repeatWithoutReads } from './repeated-request.fixture.js';
import { startService, type Service } from './service.fixture.js';

const valid = { name: 'Rex', categoryId: 7 };

describe('POST /v1/pets', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const add = (body: unknown, headers: Record<string, string> = {}) => service.client.post('/v1/pets', body, { headers });
  const expectRefused = async (body: unknown, field: string) => {
    const answer = await add(body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toEqual({
      code: 'invalid_request',
      message: expect.stringContaining(field),
      status: 400,
      errors: expect.any(Array),
    });
  };

  it('adds an animal and says where it is', async () => {
    const answer = await add({ name: 'Mia', categoryId: 3, status: 'available' });
    expect(answer.status).toBe(201);
    const { id } = answer.json<{ id: number }>();
    expect(answer.text).toBe(`{"id":${id},"name":"Mia","categoryId":3,"status":"available"}`);
    expect(answer.headers.location).toBe(`/v1/pets?ids=${id}`);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect((await service.client.get(answer.headers.location ?? '')).text).toBe(`[${answer.text}]`);
  });

  it('leaves status out of the answer where it was not given', async () => {
    expect(Object.keys((await add(valid)).json())).toEqual(['id', 'name', 'categoryId']);
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
      { numRuns: 40, examples: edges.map((edge) => [edge]) },
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
      { numRuns: 60, examples: [[' a '], ['é'], ['e\u0301'], ['🐕'.repeat(255)], ['\u202Ea']] },
    );
  });

  it.each([
    ['a missing name', { categoryId: 1 }, 'name'],
    ['an empty name', { ...valid, name: '' }, 'name'],
    ['a blank name', { ...valid, name: ' \t\u3000' }, 'name'],
    ['a name of 256 characters', { ...valid, name: 'a'.repeat(256) }, 'name'],
    ['a name with U+0000', '{"name":"a\\u0000","categoryId":1}', 'name'],
    ['a name with a lone surrogate', '{"name":"a\\ud800","categoryId":1}', 'name'],
    ['a name that is a number', { ...valid, name: 5 }, 'name'],
    ['a missing categoryId', { name: 'a' }, 'categoryId'],
    ['a categoryId in quotes', { ...valid, categoryId: '7' }, 'categoryId'],
    ['a status that is null', { ...valid, status: null }, 'status'],
    ['an unknown status', { ...valid, status: 'AVAILABLE' }, 'status'],
    ['an id', { ...valid, id: 4 }, 'id'],
    ['an unknown field', { ...valid, colour: 'red' }, 'colour'],
    ['__proto__', '{"name":"a","categoryId":1,"__proto__":{"status":"sold"}}', '__proto__'],
  ])('refuses %s', async (_, body, field) => {
    await expectRefused(body, field);
  });

  it.each(['1.0', '1e3', '-0', '9223372036854775808', '-9223372036854775809', '0.5', 'true', 'null', '[1]'])(
    'refuses categoryId %s',
    async (written) => {
      await expectRefused(`{"name":"a","categoryId":${written}}`, 'categoryId');
    },
  );

  it('names every field at fault in one message', async () => {
    const answer = await add({ name: '', categoryId: 'x', status: 'gone', extra: 1 });
    for (const field of ['name', 'categoryId', 'status', 'extra']) expect(answer.json()['message']).toContain(field);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{"name":'],
    ['01', '{"name":"a","categoryId":01}'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['a number', '5'],
    ['null', 'null'],
    ['a member given twice', '{"name":"a","name":"a","categoryId":1}'],
    ['100,000 levels', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0x6e, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('refuses %s as a body', async (_, body) => {
    const answer = await add(body);
    expect(answer.status).toBe(400);
    expect(answer.json()['code']).toBe('invalid_request');
  });

  it('leaves nothing behind when it refuses', async () => {
    const before = (await add(valid)).json<{ id: number }>().id;
    await add({ ...valid, id: 1 });
    expect((await add(valid)).json<{ id: number }>().id).toBe(before + 1);
  });

  it('refuses any query parameter', async () => {
    const answer = await service.client.post('/v1/pets?dry=1', valid);
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('dry') });
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

    it('replays a request of a build that answered otherwise as an answer of today', async () => {
      // What is kept of a request is which animal it has added, and nothing of its answer.
      const first = await withKey('k-older', valid);
      const { id } = first.json<{ id: number }>();
      const kept = await service.app.get(Database).reader.query(sql`SELECT * FROM "idempotency_keys"`);
      expect(kept).not.toHaveLength(0);
      expect(JSON.stringify(kept, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))).not.toContain('/v1/');
      expect((await withKey('k-older', valid)).headers.location).toBe(`/v1/pets?ids=${id}`);
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
      expect(new Set(added.map(({ text }) => text)).size).toBe(1);
      expect(added.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
      for (const answer of answers) {
        if (answer.status !== 201) expect(answer.json()).toMatchObject({ code: 'idempotency_key_in_progress', status: 409 });
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

    it('outlives a rotation of the API key', async () => {
      const { id, token } = await service.issueKey();
      const first = await withKey('k-6', valid, token);
      const rotated = await service.app.get(CommandBus).execute(new RotateApiKey({ id, metadata: { actor: 'system' } }));
      const again = await withKey('k-6', valid, rotated.key);
      expect(again.text).toBe(first.text);
      expect(again.headers['idempotency-replayed']).toBe('true');
    });

    it('takes 1 to 255 characters', async () => {
      expect((await withKey('x'.repeat(255), valid)).status).toBe(201);
      for (const wrong of ['x'.repeat(256), '""', '"open', '']) {
        expect((await withKey(wrong, valid)).json()).toMatchObject({
          code: 'invalid_parameter',
          message: expect.stringContaining('Idempotency-Key'),
        });
      }
    });
  });
});
