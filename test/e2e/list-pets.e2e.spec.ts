import { startService, type Service } from './service.fixture.js';
import type { Answer } from './api-client.fixture.js';

interface PetBody {
  readonly id: number;
  readonly status?: string;
}

function nextOf(answer: Answer): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
}

describe('GET /v1/pets', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    const statuses = ['available', 'pending', 'sold', undefined];
    for (let index = 0; index < 48; index += 1) {
      await service.client.post('/v1/pets', { name: `n${index}`, categoryId: index, status: statuses[index % 4] });
    }
  });
  afterAll(() => service.close());

  const list = (query = '', headers = {}) => service.client.get(`/v1/pets${query}`, { headers });
  const walk = async (query: string, onPage: () => Promise<unknown> = () => Promise.resolve()): Promise<PetBody[]> => {
    const seen: PetBody[] = [];
    for (let target: string | undefined = `/v1/pets${query}`; target !== undefined;) {
      const answer = await service.client.get(target);
      seen.push(...answer.json<PetBody[]>());
      target = nextOf(answer);
      await onPage();
    }
    return seen;
  };

  it('gives 20 animals ascending by id, and a Link to the next page', async () => {
    const answer = await list();
    expect(answer.json<PetBody[]>().map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(nextOf(answer)).toMatch(/^\/v1\/pets\?/);
  });

  it.each(['1', '7', '48', '100'])('visits every animal exactly once with limit=%s', async (limit) => {
    expect((await walk(`?limit=${limit}`)).map(({ id }) => id)).toEqual(Array.from({ length: 48 }, (_, index) => index + 1));
  });

  it('has no Link on the last page, also when it is full', async () => {
    expect((await list('?limit=48')).headers.link).toBeUndefined();
    expect((await list('?limit=12&status=sold')).headers.link).toBeUndefined();
  });

  it('filters by status, and keeps the filter while walking', async () => {
    for (const status of ['available', 'pending', 'sold']) {
      const pets = await walk(`?status=${status}&limit=5`);
      expect(pets).toHaveLength(12);
      expect(pets.every((pet) => pet.status === status)).toBe(true);
    }
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.0', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%2B5', 'limit'],
    ['limit=05', 'limit'],
    ['limit=', 'limit'],
    ['limit=5&limit=5', 'limit'],
    ['status=', 'status'],
    ['status=Sold', 'status'],
    ['status=sold&status=sold', 'status'],
    ['cursor=', 'cursor'],
    ['cursor=abc', 'cursor'],
    ['offset=5', 'offset'],
    ['Limit=5', 'Limit'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
  ])('refuses ?%s and names the parameter', async (query, name) => {
    const answer = await list(`?${query}`);
    expect(answer.json()).toEqual({
      code: 'invalid_parameter',
      message: expect.stringContaining(name),
      status: 400,
      errors: expect.any(Array),
    });
  });

  describe('by ids', () => {
    const idsOf = async (query: string) => {
      const answer = await list(query);
      expect([answer.status, answer.headers.link]).toEqual([200, undefined]);
      return answer.json<PetBody[]>().map(({ id }) => id);
    };

    it('gives those that are there, each once, ascending by id and without a Link', async () => {
      expect(await idsOf('?ids=7')).toEqual([7]);
      expect(await idsOf('?ids=30,2,9223372036854775807,30,100000,1')).toEqual([1, 2, 30]);
      expect(await idsOf('?ids=2%2C1')).toEqual([1, 2]);
      expect(await idsOf('?ids=9223372036854775807')).toEqual([]);
      expect((await list('?ids=1')).text).toBe(`[${(await service.client.get('/v1/pets/1')).text}]`);
    });

    it('gives up to 100, and filters by status', async () => {
      const hundred = Array.from({ length: 100 }, (_, index) => 100 - index).join(',');
      expect(await idsOf(`?ids=${hundred}`)).toEqual(Array.from({ length: 48 }, (_, index) => index + 1));
      expect(await idsOf('?ids=3,1,2,5&status=available')).toEqual([1, 5]);
    });

    it('has an ETag and answers HEAD like a page', async () => {
      const full = await list('?ids=3,1');
      expect((await list('?ids=3,1', { 'if-none-match': full.headers.etag })).status).toBe(304);
      const head = await service.client.send('HEAD', '/v1/pets?ids=3,1');
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers.etag).toBe(full.headers.etag);
    });

    it.each([
      ...['', ',', '1,', ',1', '1,,2', '0', '1,0', '-1', 'a', '1,b', '01', '+1', '1.0', '1e1', '%201', '9223372036854775808'],
      ...['1&limit=20', '1&limit=5', '1&cursor=abc', '1&ids=2', '1%00', Array.from({ length: 101 }, () => '1').join(',')],
    ])('refuses ids=%s and names the parameter', async (ids) => {
      const answer = await list(`?ids=${ids}`);
      expect(answer.json()).toEqual({
        code: 'invalid_parameter',
        message: expect.stringContaining('ids'),
        status: 400,
        errors: expect.any(Array),
      });
    });
  });

  it('refuses a cursor that was changed or belongs to another filter', async () => {
    const cursor = new URLSearchParams((nextOf(await list('?status=sold&limit=2')) ?? '').split('?')[1]).get('cursor') ?? '';
    expect((await list(`?status=sold&limit=2&cursor=${cursor}`)).status).toBe(200);
    expect((await list(`?cursor=${cursor}`)).json()).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('cursor'),
    });
    expect((await list(`?status=available&cursor=${cursor}`)).status).toBe(400);
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
      expect((await list(`?status=sold&cursor=${changed}`)).status).toBe(400);
    }
  });

  it('answers 304 to a known ETag, and changes the ETag when the page or only its Link changes', async () => {
    const before = await list('?limit=48');
    expect((await list('?limit=48', { 'if-none-match': before.headers.etag })).status).toBe(304);
    expect((await list('?limit=48', { 'if-none-match': '"other", W/' + String(before.headers.etag) })).status).toBe(304);
    expect((await list('?limit=48', { 'if-none-match': '*' })).status).toBe(304);
    expect((await list('?limit=48', { 'if-none-match': '"other"' })).status).toBe(200);
    await service.client.post('/v1/pets', { name: 'late', categoryId: 1 });
    const after = await list('?limit=48', { 'if-none-match': before.headers.etag });
    expect(after.status).toBe(200);
    expect(after.text).toBe(before.text);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it('gives a 304 the headers of the 200, without a body', async () => {
    const full = await list('?limit=2');
    const answer = await list('?limit=2', { 'if-none-match': full.headers.etag });
    expect(answer.text).toBe('');
    for (const name of ['etag', 'link', 'cache-control']) expect(answer.headers[name]).toBe(full.headers[name]);
  });

  it('answers HEAD like GET, without the body', async () => {
    const full = await list('?limit=3');
    const head = await service.client.send('HEAD', '/v1/pets?limit=3');
    expect(head).toMatchObject({ status: 200, text: '' });
    for (const name of ['etag', 'link', 'content-length', 'content-type']) expect(head.headers[name]).toBe(full.headers[name]);
  });

  it('visits every animal exactly once while others are added', async () => {
    const known = (await walk('?limit=100')).length;
    const seen = await walk('?limit=5', () =>
      Promise.all(Array.from({ length: 2 }, (_, n) => service.client.post('/v1/pets', { name: `w${n}`, categoryId: 1 }))),
    );
    const ids = seen.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids.length).toBeGreaterThan(known);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, index) => index + 1));
  });

  it('shows an animal as soon as it was acknowledged', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = (await service.client.post('/v1/pets', { name: 'now', categoryId: 1, status: 'sold' })).json<PetBody>();
      expect((await walk('?limit=100&status=sold')).map((pet) => pet.id)).toContain(id);
    }
  });
});
