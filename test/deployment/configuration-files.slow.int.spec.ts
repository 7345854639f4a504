import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { compileErrors } from '../documents/compile-errors.fixture.js';
import { describeWith, locateProgram } from './debian-program.fixture.js';

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly source: string }[];
  readonly networks: readonly string[] | Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly { readonly env: { name: string }[] }[] } } };
}

const deployed = readdirSync('deploy', { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const readYaml = (file: string): unknown => parse(readFileSync(file, 'utf8'), { merge: true });
const { services } = readYaml('docker-compose.yml') as { readonly services: Readonly<Record<string, ComposeService>> };
const manifests = deployed
  .filter((file) => file.startsWith('deploy/kubernetes/') && file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'))
  .map((file) => readYaml(file) as Manifest);

/** Some exposure remains, of 100: the service has a network, and a compiler in its process. */
const MAX_EXPOSURE = 15;

/** A declaration that compiles only if the manifest is what the schemas of Kubernetes allow. */
function declarationOf(manifest: Manifest, index: number): string {
  const [version = '', group = 'core'] = manifest.apiVersion.split('/').reverse();
  const type = `import('kubernetes-types/${group.split('.')[0] ?? ''}/${version}').${manifest.kind}`;
  return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};\n`;
}

describe('the configuration files of a deployment', () => {
  it('are valid manifests of Kubernetes', () => {
    expect(manifests.length).toBeGreaterThan(7);
    expect(compileErrors({ 'manifests.ts': manifests.map(declarationOf).join('') })).toEqual([]);
  });

  it('hold no secret', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const file of [...deployed, 'docker-compose.yml', 'Dockerfile']) {
      expect([file, readFileSync(file, 'utf8').match(/:\/\/[^/\s:$%]+:[^/\s:$%]+@|(?:PASSWORD|SECRET|TOKEN)(?:: |=)\w/g)]).toEqual([
        file,
        null,
      ]);
    }
  });

  it('share no network, volume, secret or Redis key between production and staging', () => {
    const [production = [], staging = []] = ['production', 'staging'].map((deployment) =>
      Object.entries(services)
        .filter(([name]) => name.startsWith(deployment))
        .flatMap(([, { networks, volumes = [], secrets = [], environment = {} }]) => [
          ...(Array.isArray(networks) ? (networks as string[]) : Object.keys(networks)),
          ...volumes.map((volume) => volume.split(':')[0] ?? '').filter((volume) => !volume.startsWith('.')),
          ...secrets.map(({ source }) => source),
          environment['REDIS_KEY_PREFIX'] ?? `${deployment} has no prefix`,
        ]),
    );
    expect(production.length).toBeGreaterThan(10);
    expect(production.filter((part) => staging.includes(part))).toEqual([]);
  });
});

describeWith('promtool', 'systemd-analyze')('the programs that read the configuration files', () => {
  const unit = (name: string) => {
    const file = join(makeTemporaryFolder('systemd'), name);
    writeFileSync(file, readFileSync('deploy/systemd/adoption.service', 'utf8').replace('/usr/bin/node', process.execPath));
    return file;
  };

  it.each([
    ['promtool check config --syntax-only deploy/observability/prometheus.yml', undefined],
    ['promtool test rules deploy/observability/alerts.test.yml', undefined],
    ['systemd-analyze verify --man=no', 'adoption.service'],
    ['systemd-analyze verify --man=no', 'adoption@.service'],
    [`systemd-analyze security --offline=true --threshold=${MAX_EXPOSURE}`, 'adoption.service'],
  ])('find nothing: %s', (command, unitName) => {
    const [program = '', ...words] = command.split(' ');
    const { status, stdout, stderr } = spawnSync(locateProgram(program), [...words, ...(unitName ? [unit(unitName)] : [])], {
      encoding: 'utf8',
    });
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});
