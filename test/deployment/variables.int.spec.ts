import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { composition, loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { listSettings } from '../../src/config/index.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { interpolations, readCompose } from './compose.fixture.js';
import { environmentOf, readImage } from './dockerfile.fixture.js';

const variables = new Set(listSettings(composition().settings).map(({ variable }) => variable));
const { services, secrets } = readCompose();
const deployments = Object.entries(services).filter(([name]) => ['production', 'staging'].includes(name));
const { NODE_ENV: _, ...imageEnvironment } = environmentOf(readImage());

/** What differs between a laptop and several instances behind a proxy; the rest has defaults that are right for both. */
const NEEDED = [
  'DATABASE_URL',
  'DEPLOYMENT',
  'HOST',
  'MANAGEMENT_HOST',
  'PORT',
  'REDIS_KEY_PREFIX',
  'REDIS_URL',
  'SHUTDOWN_GRACE_SECONDS',
  'TRUST_PROXY',
];

const variableOf = (name: string) => name.replace(/_FILE$/, '');

describe('the variables of a deployment', () => {
  let folder: string;
  beforeAll(() => {
    folder = makeTemporaryFolder('secrets');
    cpSync('deploy', join(folder, 'deploy'), { recursive: true });
  });

  const draw = (deployment: string, options: ExecFileSyncOptions = {}) =>
    execFileSync('sh', ['deploy/create-secrets.sh', deployment], { cwd: folder, ...options });
  const secret = (deployment: string, name: string) => readFileSync(join(folder, 'secrets', deployment, name), 'utf8');

  /** What an instance is started with, its secrets where they lie on the host. */
  const environmentOfInstance = (name: string): Record<string, string> => {
    const { environment = {}, secrets: mounted = [] } = services[name] ?? {};
    const located = Object.entries(environment).map(([variable, value]) => {
      const source = mounted.find(({ target }) => value === `/run/secrets/${target}`)?.source;
      return [variable, source === undefined ? value : join(folder, secrets[source]?.file ?? '')];
    });
    return { ...imageEnvironment, ...(Object.fromEntries(located) as Record<string, string>) };
  };

  it('are those of the configuration', () => {
    for (const [, { environment = {} }] of deployments) {
      const unknown = Object.keys(environment).filter((name) => !(variables.has(name) || variables.has(variableOf(name))));
      expect(unknown).toEqual([]);
    }
  });

  it.each(deployments)('set for %s what a default would get wrong', (_name, { environment = {} }) => {
    const set = new Set([...Object.keys(imageEnvironment), ...Object.keys(environment).map(variableOf)]);
    expect(NEEDED.filter((name) => !set.has(name))).toEqual([]);
  });

  it.each(deployments)('make a configuration without mistakes for %s', (name) => {
    draw(name);
    const configuration = loadServiceConfiguration(environmentOfInstance(name));
    expect(configuration).toMatchObject({ deployment: name, host: '0.0.0.0', trustProxy: 1, database: { kind: 'postgres' } });
    expect(configuration.database).not.toHaveProperty('migrationUrl');
    expect(loadServiceConfiguration(environmentOfInstance(`${name}-migration`)).database).toEqual({
      ...configuration.database,
      migrationUrl: secret(name, 'migration-database-url'),
    });
  });

  it('have passwords that are drawn once for each deployment', () => {
    const names = readdirSync(join(folder, 'secrets', 'production')).sort();
    expect(names).toEqual(['database-url', 'migration-database-url', 'owner-password', 'postgres-password', 'service-password']);
    const address = (role: string, password: string) => `postgres://${role}:${secret('production', password)}@postgres:5432/adoption`;
    expect(secret('production', 'database-url')).toBe(address('adoption', 'service-password'));
    expect(secret('production', 'migration-database-url')).toBe(address('adoption_owner', 'owner-password'));
    const passwords = ['production', 'staging'].flatMap((deployment) =>
      ['owner-password', 'postgres-password', 'service-password'].map((name) => secret(deployment, name)),
    );
    expect(new Set(passwords).size).toBe(6);
    for (const password of passwords) expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(statSync(join(folder, 'secrets', 'production')).mode & 0o777).toBe(0o700);
    expect(() => draw('production', { stdio: 'pipe' })).toThrow(/exists already/);
    expect(() => draw('laptop', { stdio: 'pipe' })).toThrow(/Usage/);
  });

  it('that docker compose fills in are described with their defaults', () => {
    const guide = readFileSync('docs/deploy.md', 'utf8');
    const described = [...guide.matchAll(/^\| `([A-Z_]+)` +\| (?:`([^`]*)`|none) +\|/gm)].map(([, name, value = '']) => [name, value]);
    expect(described.sort()).toEqual([...interpolations()].sort());
  });
});
