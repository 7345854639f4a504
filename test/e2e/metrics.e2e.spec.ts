import { readFileSync } from 'node:fs';
import { EventStore } from '#libs/event-sourcing';
import { MetricsRegistry } from '#libs/observability';
import { expectEventually } from '#libs/testing';
import { exchangeRaw } from './rate-limit.fixture.js';
import { openManagement, type Management } from './management.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

describe('the metrics', () => {
  let service: Service;
  let management: Management;
  beforeAll(async () => {
    service = await startService();
    management = await openManagement(service);
  });
  afterAll(() => service.close());

  const requests = (labels: Record<string, string>) => management.sample('adoption_http_requests_total', labels);

  it('are on the management port only, in the format of Prometheus', async () => {
    const response = await management.get('/metrics');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect((await management.get('/metrics', 'POST')).status).toBe(404);
    expect((await management.get('/v1/pets')).status).toBe(404);
    for (const path of ['/metrics', '/v1/metrics', '/management']) expect((await service.client.get(path)).status).toBe(404);
  });

  it('count requests by the template of their route, method and status, and deprecated ones by the id of their key', async () => {
    const { id, token: key } = await service.issueKey(UNLIMITED);
    await service.client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    for (const petId of [1, 2, 3]) await service.client.get(`/v1/pets/${petId}`, { key });
    await service.client.get('/v1/pets', { key: null });
    expect(await requests({ method: 'POST', route: '/v1/pets', status: '201' })).toBe(1);
    expect(await requests({ method: 'GET', route: '/v1/pets/:petId', status: '200' })).toBe(1);
    expect(await requests({ method: 'GET', route: '/v1/pets/:petId', status: '404' })).toBe(2);
    expect(await requests({ method: 'GET', route: '/v1/pets', status: '401' })).toBe(1);
    const seconds = { method: 'GET', route: '/v1/pets/:petId' };
    expect(await management.sample('adoption_http_request_duration_seconds_bucket', { ...seconds, le: '+Inf' })).toBe(3);
    expect(await management.sample('adoption_deprecated_requests_total', { route: '/v1/pets/:petId', key_id: `${id}` })).toBe(3);
  });

  it('hold nothing that a client wrote', async () => {
    await service.client.get('/v1/other-path?hidden=1');
    await service.client.send('PROPFIND', '/v1/pets');
    await exchangeRaw(service.origin, 'nonsense\r\n\r\n', { end: false });
    expect(await management.metrics()).not.toMatch(/other-path|hidden|PROPFIND|nonsense|127\.0\.0\.1/);
    expect(await requests({ method: 'other', route: '/v1/pets', status: '405' })).toBe(1);
    expect(await requests({ route: 'unreadable', status: '400' })).toBe(1);
  });

  it('count what the limiter decides, by key, and bans', async () => {
    const { token: key } = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 100 });
    const decisions = () =>
      Promise.all(
        ['admitted', 'refused', 'banned'].map((outcome) =>
          management.sample('adoption_rate_limit_decisions_total', { counted_by: 'key', outcome }),
        ),
      );
    const [admitted = NaN, refused = NaN, banned = NaN] = await decisions();
    for (let request = 0; request < 2; request += 1) await service.client.get('/v1/pets', { key });
    service.clock.advance(3_000);
    for (let request = 0; request < 12; request += 1) await service.client.get('/v1/pets', { key });
    expect(await decisions()).toEqual([admitted + 1, refused + 11, banned + 2]);
    expect(await management.sample('adoption_bans_total')).toBe(1);
    expect(await management.sample('adoption_rate_limit_counting', { mode: globalThis.onServers ? 'shared' : 'in-process' })).toBe(1);
  });

  it('are of the log, the projections and the tables', async () => {
    const isAtEnd = async (name: string, labels = {}) =>
      (await management.sample(name, labels)) === Number(await service.app.get(EventStore).lastPosition());
    await service.client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    // Readings of the database are cached for a moment.
    await expectEventually(() => isAtEnd('adoption_log_position'), true);
    await expectEventually(() => isAtEnd('adoption_projection_position', { projection: 'pets' }), true);
    expect(await management.sample('adoption_projection_up_to_date', { projection: 'pets' })).toBe(1);
    const size = globalThis.onServers ? 'adoption_table_size_bytes' : 'adoption_table_rows';
    expect(await management.sample(size, { table: 'events' })).toBeGreaterThan(0);
    expect(await management.sample('adoption_ready')).toBe(1);
    expect(await management.sample('adoption_part_state', { part: 'database', state: 'ready' })).toBe(1);
  });

  it('are those that docs/operate/metrics.md, the dashboard and the alerts name', async () => {
    const metrics = await service.app.get(MetricsRegistry).getMetricsAsJSON();
    const series = metrics.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    );
    const named = (path: string) => {
      const text = readFileSync(path, 'utf8').replaceAll(/deployment:\w+/g, '');
      return [...new Set(text.match(/adoption_[a-z0-9_]+/g))].sort();
    };
    expect(named('docs/operate/metrics.md')).toEqual(metrics.map(({ name }) => name).sort());
    for (const path of ['deploy/observability/grafana-dashboard.json', 'deploy/observability/alerts.yml']) {
      expect(named(path).length).toBeGreaterThan(10);
      expect(named(path).filter((name) => !series.includes(name))).toEqual([]);
    }
  });
});
