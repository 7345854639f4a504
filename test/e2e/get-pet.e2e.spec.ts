import { SettableClock } from '#libs/testing';
import { startService, type Service } from './service.fixture.js';

describe('GET /v1/pets/{petId}', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'pending' });
  });
  afterAll(() => service.close());

  const get = (id: string, headers = {}) => service.client.get(`/v1/pets/${id}`, { headers });

  it('gives the animal', async () => {
    expect((await get('1')).text).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"pending"}');
  });

  it('says in every answer that it is deprecated, until when it is served and what follows', async () => {
    const most = '9223372036854775807';
    for (const [id, query] of [
      ['1', '?ids=1'],
      ['2', '?ids=2'],
      [most, `?ids=${most}`],
      ['x', ''],
      ['%22%3E', ''],
    ] as const) {
      const { headers } = await get(id);
      expect(headers['deprecation']).toBe('@1764892800');
      expect(headers['sunset']).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
      expect(headers.link).toContain(`</v1/pets${query}>; rel="successor-version"`);
    }
  });

  it.each(['2', '0', '-1', '9223372036854775807', '-9223372036854775808'])('answers 404 for %s', async (id) => {
    expect((await get(id)).json()).toEqual({ code: 'not_found', message: expect.stringContaining(id), status: 404 });
  });

  it.each(['x', '1.0', '1e0', '01', '+1', '-0', '9223372036854775808', '-9223372036854775809', '1%00', '%F0%9F%90%95', '1'.repeat(300)])(
    'answers 400 for %s',
    async (id) => {
      expect((await get(id)).json()).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('petId'), status: 400 });
    },
  );

  it('refuses any query parameter', async () => {
    expect((await get('1?fields=name')).json()).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('fields') });
  });

  it('answers 304 to a known ETag, and HEAD like GET', async () => {
    const full = await get('1');
    expect((await get('1', { 'if-none-match': full.headers.etag })).status).toBe(304);
    const head = await service.client.send('HEAD', '/v1/pets/1');
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(full.headers['content-length']);
    expect(head.headers.etag).toBe(full.headers.etag);
  });

  it('answers 410 from 5 December 2030 on, whatever the id, and still announces what follows', async () => {
    const late = await startService({ clock: new SettableClock(new Date('2030-12-04T23:59:59.999Z')) });
    try {
      expect((await late.client.get('/v1/pets/1')).status).toBe(404);
      late.clock.set('2030-12-05T00:00:00.000Z');
      for (const id of ['1', 'x']) {
        const answer = await late.client.get(`/v1/pets/${id}`);
        expect(answer.json()).toMatchObject({ code: 'gone', status: 410 });
        expect(answer.headers.link).toContain('successor-version');
      }
      expect((await late.client.get('/v1/pets')).status).toBe(200);
    } finally {
      await late.close();
    }
  });
});
