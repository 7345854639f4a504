import { readFileSync } from 'node:fs';
import { MetricsRegistry } from '#libs/observability';
import { startService, type Service } from './service.fixture.js';

const METRIC = /adoption_[a-z0-9_]+/g;
const NAME = /^adoption_[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly type: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

let service: Service;
let known: readonly { readonly name: string; readonly type: string; readonly help: string }[];

beforeAll(async () => {
  service = await startService();
  const metrics = await service.app.get(MetricsRegistry).getMetricsAsJSON();
  known = metrics.map(({ name, type, help }) => ({ name, type: String(type), help }));
});

afterAll(() => service.close());

/** What the series of a metric are called. */
function seriesOf({ name, type }: { readonly name: string; readonly type: string }): string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

describe('what is written about the metrics', () => {
  it('names in docs/metrics.md every metric there is, and no other', () => {
    const documented = new Set(readFileSync('docs/metrics.md', 'utf8').match(METRIC));
    expect([...documented].sort()).toEqual(known.map(({ name }) => name).sort());
  });

  it('asks in the Grafana dashboard for series that exist alone', () => {
    const { panels } = JSON.parse(readFileSync('docs/grafana-dashboard.json', 'utf8')) as Dashboard;
    const existing = new Set(known.flatMap(seriesOf));
    for (const { title, type, targets = [] } of panels) {
      const asked = targets.flatMap(({ expr }) => expr.match(METRIC) ?? []);
      if (type !== 'row') expect([title, asked.length > 0]).toEqual([title, true]);
      expect([title, asked.filter((name) => !existing.has(name))]).toEqual([title, []]);
    }
  });

  it('asks in the alerts for series that exist alone', () => {
    const asked =
      readFileSync('deploy/observability/alerts.yml', 'utf8')
        .replaceAll(/deployment:\w+/g, '')
        .match(METRIC) ?? [];
    const existing = new Set(known.flatMap(seriesOf));
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !existing.has(name))).toEqual([]);
  });

  it('shows every metric of the service itself in the dashboard', () => {
    const dashboard = readFileSync('docs/grafana-dashboard.json', 'utf8');
    const own = known.filter(({ name }) => !/^adoption_(?:nodejs|process)_/.test(name));
    expect(own.filter(({ name }) => !dashboard.includes(name))).toEqual([]);
  });

  it('keeps the conventions of Prometheus: one prefix, `_total` for counters alone, a help text', () => {
    for (const { name, type, help } of known.filter((metric) => !metric.name.startsWith('adoption_nodejs_'))) {
      expect(name).toMatch(NAME);
      expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
      expect([name, help.length > 10]).toEqual([name, true]);
    }
  });
});
