import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { coreSettings } from '../../src/config/index.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { fencedBlocks, readDocument } from '../e2e/readme/readme-text.js';
import { describeWith, locateProgram } from './debian-program.fixture.js';

const unit = readFileSync('deploy/systemd/adoption.service', 'utf8');
const guide = readDocument('docs/deploy-without-containers.md');
/** Of 100, as `systemd-analyze security` counts: 15 is what is left without a network of its own and with a compiler in the process. */
const MOST_EXPOSURE = 15;

const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

describe('the unit', () => {
  it('leaves the service more time to stop than the service takes', () => {
    expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(Number(coreSettings.shutdownGrace.default));
  });

  it('runs what the guide installs, in the folder that systemd makes', () => {
    expect(valueOf('WorkingDirectory')).toBe(`/var/lib/${valueOf('StateDirectory')}`);
    const [, program = ''] = valueOf('ExecStart').split(' ');
    const wrapper = readFileSync('deploy/systemd/adoption', 'utf8');
    expect(wrapper).toContain(`\ncd ${valueOf('WorkingDirectory')}\n`);
    expect(wrapper).toContain(program.replace('main.js', 'cli.js'));
    expect(guide).toContain(`useradd --system --home-dir ${valueOf('WorkingDirectory')}`);
    expect(guide).toContain(valueOf('EnvironmentFile'));
  });
});

describe('the variables that the guide shows', () => {
  const files = fencedBlocks(guide)
    .filter(({ language }) => language === 'ini')
    .map(({ text }) => parseEnv(text) as Record<string, string>);
  const [shared = {}, ...instances] = files;

  it('make a configuration without mistakes for each instance, at the port that both proxies know', () => {
    const proxies = ['deploy/nginx/adoption.conf', 'deploy/haproxy/haproxy-2.6.cfg'].map((file) => readFileSync(file, 'utf8'));
    expect(instances).toHaveLength(2);
    const configurations = instances.map((instance) => loadServiceConfiguration({ ...shared, ...instance }));
    for (const configuration of configurations) {
      expect(configuration).toMatchObject({ deployment: 'production', host: '127.0.0.1', trustProxy: 1, database: { kind: 'postgres' } });
      for (const proxy of proxies) expect(proxy).toContain(`127.0.0.1:${configuration.port} `);
    }
    expect(new Set(configurations.map(({ management }) => management?.port)).size).toBe(2);
  });
});

describeWith('systemd-analyze')('systemd', () => {
  const analyze = (...words: string[]) => spawnSync(locateProgram('systemd-analyze'), words, { encoding: 'utf8' });
  let folder: string;
  beforeAll(() => {
    folder = makeTemporaryFolder('systemd');
    for (const name of ['adoption.service', 'adoption@.service']) {
      writeFileSync(join(folder, name), unit.replace('/usr/bin/node', process.execPath));
    }
  });

  it.each(['adoption.service', 'adoption@.service'])('finds no mistake in %s', (name) => {
    const { status, stderr } = analyze('verify', '--man=no', join(folder, name));
    expect([status, stderr]).toEqual([0, '']);
  });

  it('finds the service well confined', () => {
    const { status, stdout } = analyze('security', '--offline=true', `--threshold=${MOST_EXPOSURE}`, join(folder, 'adoption.service'));
    expect([status, stdout]).toEqual([0, expect.stringContaining('Overall exposure level')]);
  });
});
