import { Health } from '#libs/observability';
import { openManagement } from './management.fixture.js';
import { startService, type Service } from './service.fixture.js';

describe('the health of the service', () => {
  let service: Service;
  beforeAll(async () => (service = await startService({ environment: { ANONYMOUS_REQUESTS_PER_MINUTE: '1' } })));
  afterAll(() => service.close());

  it('is a status alone on the public port, for everybody, and counts in nobody’s limit', async () => {
    for (let request = 0; request < 3; request += 1) {
      for (const [path, status] of [
        ['/health/live', 'live'],
        ['/health/ready', 'ready'],
      ] as const) {
        const answer = await service.client.get(path, { key: null });
        expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([200, `{"status":"${status}"}`, 'no-store']);
      }
    }
    expect((await service.client.get('/v1/pets', { key: null })).status).toBe(401);
  });

  it('shows its parts on the management port', async () => {
    const management = await openManagement(service);
    expect(await (await management.get('/health/ready')).json()).toEqual({
      status: 'ready',
      draining: false,
      parts: {
        database: { state: 'ready' },
        migrations: { state: 'ready' },
        projections: { state: 'ready' },
        clock: { state: 'ready' },
        counting: { state: 'ready', detail: 'in-process' },
      },
    });
    expect((await management.get('/health/live')).status).toBe(200);
  });

  it('is 503 while a part does not answer, after 800 ms of waiting, and alive all the same', async () => {
    const frozen = await startService();
    frozen.app.get(Health).register({ name: 'frozen', check: () => new Promise(() => undefined) });
    const { status, text } = await frozen.client.get('/health/ready', { key: null });
    expect([status, text]).toEqual([503, '{"status":"unavailable"}']);
    expect((await frozen.client.get('/health/live', { key: null })).status).toBe(200);
    const ready = await (await openManagement(frozen)).get('/health/ready');
    const detail = 'no answer within 800 ms';
    expect(await ready.json()).toMatchObject({ parts: { frozen: { state: 'unavailable', detail }, database: { state: 'ready' } } });
    await frozen.close();
  });
});
