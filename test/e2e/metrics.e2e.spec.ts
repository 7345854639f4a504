import { EventStore } from '#libs/event-sourcing';
import { exchangeRaw } from './rate-limit.fixture.js';
import { openManagement, type Management } from './management.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

let service: Service;
let management: Management;

beforeEach(async () => {
  service = await startService();
  management = await openManagement(service);
});

afterEach(() => service.close());

const requests = (labels: Record<string, string>) => management.sample('adoption_http_requests_total', labels);

describe('the metrics', () => {
  it('are on the management port alone, in the format of Prometheus', async () => {
    const answer = await management.get('/metrics');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect((await management.get('/metrics', 'POST')).status).toBe(405);
    expect((await management.get('/v1/pets')).status).toBe(404);
    for (const path of ['/metrics', '/v1/metrics', '/management']) {
      expect((await service.client.get(path)).status).toBe(404);
    }
  });

  it('count requests by the template of their route, method and status', async () => {
    await service.client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    await service.client.get('/v1/pets/1');
    await service.client.get('/v1/pets/2');
    await service.client.get('/v1/pets/3');
    await service.client.get('/v1/pets', { key: null });
    expect(await requests({ method: 'POST', route: '/v1/pets', status: '201' })).toBe(1);
    expect(await requests({ method: 'GET', route: '/v1/pets/:petId', status: '200' })).toBe(1);
    expect(await requests({ method: 'GET', route: '/v1/pets/:petId', status: '404' })).toBe(2);
    expect(await requests({ method: 'GET', route: '/v1/pets', status: '401' })).toBe(1);
    const seconds = { method: 'GET', route: '/v1/pets/:petId' };
    expect(await management.sample('adoption_http_request_duration_seconds_count', seconds)).toBe(3);
    expect(await management.sample('adoption_http_request_duration_seconds_bucket', { ...seconds, le: '+Inf' })).toBe(3);
  });

  it('hold nothing that a client wrote', async () => {
    await service.client.get('/some-path');
    await service.client.get('/v1/other-path?hidden=1');
    await service.client.send('PROPFIND', '/v1/pets');
    await exchangeRaw(service.origin, 'nonsense\r\n\r\n', { end: false });
    const text = await management.metrics();
    expect(text).not.toMatch(/some-path|other-path|hidden|PROPFIND|nonsense|127\.0\.0\.1/);
    expect(await requests({ method: 'GET', route: 'none', status: '404' })).toBe(2);
    expect(await requests({ method: 'other', route: '/v1/pets', status: '405' })).toBe(1);
    expect(await requests({ route: 'unreadable', status: '400' })).toBe(1);
  });

  it('count what the limiter decides, by key and by address, and bans', async () => {
    const { token } = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 100 });
    const decisions = (counted_by: string, outcome: string) =>
      management.sample('adoption_rate_limit_decisions_total', { counted_by, outcome });
    expect(await decisions('key', 'banned')).toBe(0);
    await service.client.get('/v1/pets', { key: null });
    await service.client.get('/v1/pets', { key: token });
    await service.client.get('/v1/pets', { key: token });
    service.clock.advance(3_000);
    for (let request = 0; request < 12; request += 1) await service.client.get('/v1/pets', { key: token });
    expect(await decisions('address', 'admitted')).toBe(1);
    expect(await decisions('key', 'admitted')).toBe(1);
    expect(await decisions('key', 'refused')).toBe(11);
    expect(await decisions('key', 'banned')).toBe(2);
    expect(await management.sample('adoption_bans_total')).toBe(1);
    expect(await management.sample('adoption_rate_limit_counting', { mode: globalThis.onServers ? 'shared' : 'in-process' })).toBe(1);
  });

  it('count appends, the events in them and how many shared a commit', async () => {
    const names = ['adoption_appends_total', 'adoption_events_appended_total', 'adoption_append_group_size_sum'];
    const counts = () => Promise.all([...names, 'adoption_append_group_size_count'].map((name) => management.sample(name)));
    const [appends = NaN, events = NaN, sum = NaN, groups = NaN] = await counts();
    const added = { type: 'pet-added', data: { name: 'Rex', categoryId: '1' } };
    const store = service.app.get(EventStore);
    await Promise.all(
      Array.from({ length: 40 }, () =>
        store.append([{ stream: { newIn: 'pet' }, expectedVersion: 'noStream', events: [added] }], { metadata: { actor: 'test' } }),
      ),
    );
    expect(await counts()).toEqual([appends + 40, events + 40, sum + 40, groups + 1]);
    expect(await management.sample('adoption_append_commit_seconds_count')).toBe(groups + 1);
  });

  it('tell how far the log and the projections are, and what the tables take', async () => {
    await service.client.post('/v1/pets', { name: 'a', categoryId: 1 });
    expect(await management.sample('adoption_log_position')).toBe(2);
    expect(await management.sample('adoption_projection_position', { projection: 'pets' })).toBe(2);
    expect(await management.sample('adoption_projection_up_to_date', { projection: 'pets' })).toBe(1);
    if (!globalThis.onServers) {
      expect(await management.sample('adoption_table_rows', { table: 'events' })).toBe(2);
      expect(await management.sample('adoption_table_rows', { table: 'idempotency_keys' })).toBe(0);
    } else {
      expect(await management.sample('adoption_table_size_bytes', { table: 'events' })).toBeGreaterThan(0);
    }
    expect(await management.sample('adoption_database_size_bytes')).toBeGreaterThan(10_000);
    expect(await management.sample('adoption_ready')).toBe(1);
    expect(await management.sample('adoption_part_state', { part: 'database', state: 'ready' })).toBe(1);
    expect(await management.sample('adoption_nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(await management.sample('adoption_process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
  });

  it('count who still asks for one animal, by the id of their key', async () => {
    const { id, token } = await service.issueKey(UNLIMITED);
    await service.client.get('/v1/pets/7', { key: token });
    await service.client.get('/v1/pets/7', { key: token });
    await service.client.get('/v1/pets', { key: token });
    expect(await management.sample('adoption_deprecated_requests_total', { route: '/v1/pets/:petId', key_id: `${id}` })).toBe(2);
  });
});
