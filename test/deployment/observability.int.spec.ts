import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { networksOf, readCompose } from './compose.fixture.js';
import { environmentOf, readImage } from './dockerfile.fixture.js';

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
}

interface Scraping {
  readonly job_name: string;
  readonly dns_sd_configs?: readonly { readonly names: readonly string[]; readonly port: number }[];
  readonly static_configs?: readonly { readonly targets: readonly string[] }[];
}

const FOLDER = 'deploy/observability';
const read = <Content>(file: string) => parse(readFileSync(join(FOLDER, file), 'utf8'), { merge: true }) as Content;
const { services } = readCompose();
const { groups } = read<{ groups: readonly { readonly rules: readonly Rule[] }[] }>('alerts.yml');
const alerts = groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);

const promtool = (...words: string[]) => spawnSync('promtool', words, { encoding: 'utf8' });
const hasPromtool = promtool('--version').error === undefined;
if (!hasPromtool && process.env['CI']) throw new Error('promtool is missing (Debian: prometheus), and CI tries the alerts.');
const withPromtool = hasPromtool ? it : it.skip;

describe('what watches the deployments', () => {
  it('asks what runs in the compose file, where and at which port that answers', () => {
    const { scrape_configs: scraped } = read<{ scrape_configs: readonly Scraping[] }>('prometheus.yml');
    const asked = scraped.flatMap(({ dns_sd_configs: named = [], static_configs: listed = [] }) => [
      ...named.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
      ...listed.flatMap(({ targets }) => targets),
    ]);
    const management = (name: string) => services[name]?.environment?.['MANAGEMENT_PORT'];
    expect(asked).toEqual([
      `production:${management('production') ?? ''}`,
      `staging:${management('staging') ?? ''}`,
      'production-proxy:8405',
      'staging-proxy:8405',
      'machine:9100',
    ]);
    expect(readFileSync('deploy/haproxy/haproxy.cfg', 'utf8')).toMatch(/^frontend management\n {4}bind :8405$/m);
    const near = services['prometheus'] ? networksOf(services['prometheus']) : [];
    for (const address of asked) {
      const [name = ''] = address.split(':');
      const networks = services[name] ? networksOf(services[name]) : [];
      expect([name, networks.some((network) => near.includes(network))]).toEqual([name, true]);
    }
  });

  it('reads in the containers the files that are mounted there', () => {
    const { command = [], volumes = [] } = services['prometheus'] ?? {};
    const mounted = volumes.map((volume) => volume.split(':')[1]);
    const configuration = command.find((word) => word.startsWith('--config.file='))?.split('=')[1];
    expect(mounted).toEqual(expect.arrayContaining([configuration, ...read<{ rule_files: string[] }>('prometheus.yml').rule_files]));
    const { providers } = read<{ providers: readonly { readonly options: { readonly path: string } }[] }>(
      'grafana/dashboards/adoption.yml',
    );
    const [{ options } = { options: { path: '' } }] = providers;
    const dashboards = (services['grafana']?.volumes ?? []).filter((volume) => volume.split(':')[1]?.startsWith(`${options.path}/`));
    expect(dashboards.map((volume) => volume.split(':')[0])).toEqual(['./docs/grafana-dashboard.json']);
  });

  it('shows the dashboard without asking for a data source: it chooses one of Prometheus by a variable', () => {
    const text = readFileSync('docs/grafana-dashboard.json', 'utf8');
    const { templating } = JSON.parse(text) as { templating: { list: readonly { readonly name: string; readonly type: string }[] } };
    expect(text).not.toContain('__inputs');
    expect(templating.list[0]).toMatchObject({ name: 'DS_PROMETHEUS', type: 'datasource' });
  });

  it('is not reached by the instances, nor published but on this machine', () => {
    expect(environmentOf(readImage())).not.toHaveProperty('MANAGEMENT_PORT');
    for (const name of ['production', 'staging', 'production-postgres', 'staging-redis']) {
      expect(services[name] && networksOf(services[name])).not.toContain('observability');
    }
  });
});

describe('the alerts', () => {
  it('have a severity, a test, and a line in the document of what to do', () => {
    const document = readFileSync('docs/runbook.md', 'utf8');
    const tested = readFileSync(join(FOLDER, 'alerts.test.yml'), 'utf8');
    const rows = [...document.matchAll(/^\| `(Adoption\w+)` +\| (page|ticket) +\| .+ \| .+ \|$/gm)].map(([, alert, severity]) => [
      alert,
      severity,
    ]);
    expect(rows.sort()).toEqual(alerts.map(({ alert, labels }) => [alert, labels?.severity]).sort());
    for (const { alert } of alerts) expect(tested).toMatch(new RegExp(`alertname: ${alert ?? ''}\\b[^]*?exp_labels`));
  });

  withPromtool('fire when they should, and not else', () => {
    const { status, stdout, stderr } = promtool('test', 'rules', join(FOLDER, 'alerts.test.yml'));
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  withPromtool('and what Prometheus is told are right', () => {
    const file = join(makeTemporaryFolder('observability'), 'prometheus.yml');
    const told = readFileSync(join(FOLDER, 'prometheus.yml'), 'utf8');
    writeFileSync(file, told.replace('/etc/prometheus/alerts.yml', resolve(FOLDER, 'alerts.yml')));
    const { status, stdout, stderr } = promtool('check', 'config', file);
    expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});
