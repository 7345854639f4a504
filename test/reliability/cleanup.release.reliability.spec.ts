import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { namespacesOf } from '../cleanup/network-namespaces.mjs';
import { processesOf } from '../cleanup/processes-of.mjs';
import { databasePrefix, postgresUrl } from '../databases/servers.mjs';
import { queryDatabase } from './history/final-state.fixture.js';
import { notRun } from './system/not-run.js';

const OPENED = /^opened (\{.*\})$/m;

/** What a check says that it has opened. */
interface Opened {
  /** That of its run. */
  readonly folder: string;
  /** The command lines of what it has started. */
  readonly programs: readonly string[];
}

describe('a run of Jest with a check that has started a service, clients, a PostgreSQL and a Redis', () => {
  const run = (check: 'fails' | 'goes on') => {
    const words = ['--selectProjects', 'release-reliability', '--testMatch', '**/opening-check.fixture.ts'];
    const jest = spawn(process.execPath, ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', ...words], {
      env: { ...process.env, CHECK: check },
    });
    closeAtEnd(() => jest.kill('SIGKILL'));
    const ended = once(jest, 'close');
    let output = '';
    for (const stream of [jest.stdout, jest.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const opened = async (): Promise<Opened> => {
      await Promise.race([until(() => OPENED.test(output)), ended]);
      const [, text] = OPENED.exec(output) ?? [];
      if (text === undefined) throw new Error(`The check has opened nothing:\n${output}`);
      return JSON.parse(text) as Opened;
    };
    return { jest, ended, opened, output: () => output };
  };

  const expectNothingLeft = async ({ folder }: Opened): Promise<void> => {
    expect(processesOf(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    expect(namespacesOf(folder)).toEqual([]);
    expect(readFileSync('/proc/self/mounts', 'utf8')).not.toContain(folder);
    const statement = `SELECT datname FROM pg_database WHERE starts_with(datname, '${databasePrefix(folder)}')`;
    expect(await queryDatabase(postgresUrl, statement)).toEqual([]);
  };

  it.each(['fails', 'goes on'] as const)('leaves nothing behind when the check %s, and is killed if it does', async (check) => {
    if (process.platform !== 'linux') {
      notRun('what is left behind', 'only Linux tells of all processes in /proc');
      return;
    }
    const { jest, ended, opened, output } = run(check);
    const what = await opened();
    for (const program of ['run-built.mjs', 'redis-server', 'initdb|postgres']) {
      expect(what.programs).toContainEqual(expect.stringMatching(program));
    }
    if (check === 'goes on') jest.kill('SIGKILL');
    expect(await ended).toEqual(check === 'fails' ? [1, null] : [null, 'SIGKILL']);
    await until(() => !existsSync(what.folder));
    await expectNothingLeft(what);
    if (check === 'goes on') return;
    expect(output()).toMatch(/closed last\n[^]*Not everything could be closed: Error: this cannot be closed/);
    expect(output()).not.toMatch(/did not exit/);
  });
});
