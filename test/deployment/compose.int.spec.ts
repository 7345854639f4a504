import { readFileSync } from 'node:fs';
import { environmentOf, readImage, valuesOf } from './dockerfile.fixture.js';
import { composeText, interpolations, networksOf, readCompose, type ComposeService } from './compose.fixture.js';

const compose = readCompose();
const services = Object.entries(compose.services);
const DEPLOYMENTS = ['production', 'staging'];
const instances = services.filter(([name]) => DEPLOYMENTS.includes(name));
const lasting = services.filter(([name]) => !name.endsWith('-migration'));
const image = readImage();
const proxyConfiguration = readFileSync('deploy/haproxy/haproxy.cfg', 'utf8');

const inProfile = (profile: string) => services.filter(([, { profiles }]) => profiles.includes(profile));
const volumesOf = ({ volumes = [] }: ComposeService) => volumes.map((volume) => volume.split(':')[0] ?? '');

describe('docker-compose.yml', () => {
  it('has production and staging as profiles, each with instances, their migration, a proxy, PostgreSQL and Redis, and one for what watches them', () => {
    expect(new Set(services.flatMap(([, { profiles }]) => profiles))).toEqual(new Set([...DEPLOYMENTS, 'observability']));
    for (const deployment of DEPLOYMENTS) {
      expect(inProfile(deployment).map(([name]) => name)).toEqual([
        deployment,
        `${deployment}-migration`,
        `${deployment}-proxy`,
        `${deployment}-postgres`,
        `${deployment}-redis`,
      ]);
    }
    expect(services.every(([, { profiles }]) => profiles.length === 1)).toBe(true);
  });

  it('lets the two share no network, volume, secret, port or Redis name', () => {
    const [production = [], staging = []] = DEPLOYMENTS.map((deployment) =>
      inProfile(deployment).flatMap(([, service]) => [
        ...networksOf(service),
        ...volumesOf(service).filter((volume) => volume in compose.volumes),
        ...(service.secrets ?? []).map(({ source }) => compose.secrets[source]?.file),
        ...(service.ports ?? []),
        service.environment?.['REDIS_KEY_PREFIX'],
      ]),
    );
    expect(production.filter((part) => part !== undefined && staging.includes(part))).toEqual([]);
    expect(production.length).toBeGreaterThan(5);
  });

  it('declares what it uses and uses what it declares', () => {
    const used = (names: (service: ComposeService) => string[]) => [...new Set(services.flatMap(([, service]) => names(service)))].sort();
    expect(used(networksOf)).toEqual(Object.keys(compose.networks).sort());
    expect(used(({ secrets = [] }) => secrets.map(({ source }) => source))).toEqual(Object.keys(compose.secrets).sort());
    expect(used((service) => volumesOf(service).filter((volume) => !/^[./]/.test(volume)))).toEqual(Object.keys(compose.volumes).sort());
  });

  it.each(lasting)('gives %s a health check, a restart, a read-only file system and no way to more rights', (_name, service) => {
    const checked = service.build === undefined ? service.healthcheck?.test : valuesOf(image, 'HEALTHCHECK');
    expect(checked?.length).toBeGreaterThan(0);
    expect(service).toMatchObject({ restart: 'unless-stopped', read_only: true, security_opt: ['no-new-privileges:true'] });
  });

  it('starts each after what it needs is healthy', () => {
    for (const deployment of DEPLOYMENTS) {
      const healthy = (...names: string[]) =>
        Object.fromEntries(names.map((name) => [`${deployment}${name}`, { condition: 'service_healthy' }]));
      expect(compose.services[deployment]?.depends_on).toEqual({
        ...healthy('-postgres', '-redis'),
        [`${deployment}-migration`]: { condition: 'service_completed_successfully' },
      });
      expect(compose.services[`${deployment}-migration`]?.depends_on).toEqual(healthy('-postgres'));
      expect(compose.services[`${deployment}-proxy`]?.depends_on).toEqual(healthy(''));
    }
  });

  it('gives the role that owns the tables to the migration, and to nothing that lasts', () => {
    const owning = services.filter(([, { secrets = [] }]) => secrets.some(({ source }) => source.endsWith('-migration-database-url')));
    expect(owning.map(([name]) => name)).toEqual(DEPLOYMENTS.map((deployment) => `${deployment}-migration`));
    expect(services.filter(([, { environment = {} }]) => 'MIGRATION_DATABASE_URL_FILE' in environment)).toEqual(owning);
    for (const [, service] of owning) {
      expect(service).toMatchObject({
        command: ['adoption', 'db', 'migrate'],
        restart: 'no',
        healthcheck: { disable: true },
        read_only: true,
      });
    }
    for (const [name, { secrets = [] }] of instances) {
      expect(secrets).toEqual([{ source: `${name}-database-url`, target: 'database-url' }]);
    }
  });

  it('publishes the ports of the proxies and of what shows metrics alone, on this machine unless told otherwise', () => {
    const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    expect(published).toEqual([
      ['production-proxy', '127.0.0.1:8080:8080'],
      ['staging-proxy', '127.0.0.1:8081:8080'],
      ['prometheus', '127.0.0.1:9090:9090'],
      ['grafana', '127.0.0.1:3001:3000'],
    ]);
    expect(proxyConfiguration).toMatch(/^frontend public\n {4}bind :8080$/m);
  });

  it('keeps the databases out of reach of the proxy and of the world', () => {
    for (const [name, service] of services.filter(([name]) => /postgres|redis/.test(name))) {
      expect([name, networksOf(service).map((network) => compose.networks[network]?.internal)]).toEqual([name, [true]]);
    }
    for (const [, service] of services.filter(([name]) => name.endsWith('-proxy'))) {
      expect(networksOf(service).every((network) => compose.networks[network]?.internal !== true)).toBe(true);
    }
  });

  it('has no volume without a name', () => {
    expect(valuesOf(image, 'VOLUME')).toEqual([]);
    // What a base image declares to be one has a name here.
    const declared: Readonly<Record<string, string>> = {
      'production-postgres': '/var/lib/postgresql/data',
      'production-redis': '/data',
      'staging-postgres': '/var/lib/postgresql/data',
      'staging-redis': '/data',
      prometheus: '/prometheus',
    };
    for (const [name, path] of Object.entries(declared)) expect(compose.services[name]?.volumes).toContain(`${name}:${path}`);
    for (const volume of services.flatMap(([, { volumes = [] }]) => volumes)) expect(volume).toMatch(/^[a-z./-]+:\//);
  });

  it('holds no secret and has no default for one', () => {
    const secret = /PASSWORD|SECRET|TOKEN|CREDENTIAL/;
    const named = services.flatMap(([, { environment = {} }]) => Object.keys(environment)).filter((name) => secret.test(name));
    expect(named.filter((name) => !name.endsWith('_FILE'))).toEqual([]);
    expect([...interpolations().keys()].filter((name) => secret.test(name))).toEqual([]);
    for (const text of [composeText, proxyConfiguration, JSON.stringify(environmentOf(image))]) expect(text).not.toMatch(/:\/\/[^/\s]*@/);
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name.replace('-', '/')}`);
    expect(readFileSync('.gitignore', 'utf8')).toMatch(/^secrets\/$/m);
  });

  it.each(instances)('gives %s more time to stop than it asks for', (_name, { stop_grace_period = '', environment = {} }) => {
    expect(stop_grace_period).toMatch(/^\d+s$/);
    expect(parseInt(stop_grace_period)).toBeGreaterThan(Number(environment['SHUTDOWN_GRACE_SECONDS']));
  });
});

describe('the proxy', () => {
  it('finds the instances by the name and port that they have', () => {
    const templates = [...proxyConfiguration.matchAll(/server-template instance 1-(\d+) ([a-z]+):(\d+) /g)];
    expect(templates).toHaveLength(2);
    for (const [, slots, name = '', port] of templates) {
      expect(port).toBe(environmentOf(image)['PORT']);
      for (const [deployment, { networks, deploy }] of instances) {
        expect(networks).toMatchObject({ [`${deployment}-web`]: { aliases: [name] } });
        expect(Number(deploy?.replicas)).toBeLessThanOrEqual(Number(slots));
      }
    }
  });

  const checks = [...proxyConfiguration.matchAll(/^ {4}server-template .* check (.*)$/gm)].map(([, settings = '']) => settings.split(' '));
  const settingOf = (settings: readonly string[], name: string) => settings[settings.indexOf(name) + 1] ?? '';

  it('sends nothing to an instance that Docker has a name for, until that has passed a check', () => {
    expect(checks).toHaveLength(2);
    expect(checks.map((settings) => settingOf(settings, 'init-state'))).toEqual(['down', 'down']);
    for (const [, { image = '' }] of services.filter(([name]) => name.endsWith('-proxy'))) {
      // HAProxy knows init-state from 3.1 on.
      expect(/^haproxy:(\d+\.\d+)-/.exec(image)?.slice(1).map(Number)[0]).toBeGreaterThanOrEqual(3.1);
    }
  });

  it('has two more checks of readiness ahead of it when it first learns that an instance stops', () => {
    const [readiness = []] = checks;
    const [, interval] = /^(\d+)ms$/.exec(settingOf(readiness, 'inter')) ?? [];
    const [, announced] = /ANNOUNCED_FOR_MILLISECONDS = ([\d_]+);/.exec(readFileSync('src/bootstrap/shutdown.ts', 'utf8')) ?? [];
    expect(settingOf(readiness, 'fall')).toBe('1');
    expect(Number(interval) * 3).toBeLessThanOrEqual(Number(announced?.replace('_', '')));
  });

  it('logs each change of an instance once', () => {
    const sections = proxyConfiguration.split(/^(?=\w)/m);
    const silent = sections.filter((section) => /^ {4}no log$/m.test(section)).map((section) => section.split('\n')[0]);
    expect(silent).toEqual(['backend live', 'frontend management']);
    for (const [, { entrypoint }] of services.filter(([name]) => name.endsWith('-proxy'))) {
      expect(entrypoint?.join(' ')).toMatch(/^sh -c haproxy -c -f "\$\$0" && exec haproxy -W -db -f "\$\$0" 2>\/dev\/null /);
    }
  });

  it('is well while an instance that lives answers through it', () => {
    for (const [, { healthcheck }] of services.filter(([name]) => name.endsWith('-proxy'))) {
      expect(healthcheck?.test?.at(-1)).toBe('http://127.0.0.1:8405/health');
    }
    const [, management = ''] = proxyConfiguration.split('frontend management\n');
    expect(management).toMatch(
      /^ {4}http-request set-path \/health\/live if \{ path \/health \}\n {4}use_backend live if \{ path \/health\/live \}$/m,
    );
    expect(management).not.toContain('monitor');
  });

  it('sends no request twice, tells whose it is, and is the one hop that the service believes', () => {
    expect([...proxyConfiguration.matchAll(/retry-on (.*)/g)].map(([, when]) => when)).toEqual(['conn-failure']);
    expect(proxyConfiguration).toMatch(/^ {4}option forwardfor$/m);
    for (const [, { environment = {} }] of instances) expect(environment['TRUST_PROXY']).toBe('1');
  });

  it('answers by itself in the form of every error', () => {
    const errors = [...proxyConfiguration.matchAll(/http-error status (\d+) content-type application\/json string '(.*?)' (.*)/g)];
    expect(errors.map(([, status]) => Number(status))).toEqual([400, 408, 502, 503, 504]);
    for (const [, status, body = '', headers] of errors) {
      const error = JSON.parse(body) as { readonly code: string };
      expect(error).toEqual({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String), status: Number(status) });
      expect(headers).toMatch(new RegExp(`hdr Link '</docs/errors#${error.code}>; rel="help"'$`));
    }
  });
});
