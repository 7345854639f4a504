import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { createWorkingDirectory, launchBuiltService } from '../e2e/built-service.fixture.js';
import { describeWith, locateProgram } from './debian-program.fixture.js';

const unit = readFileSync('deploy/systemd/adoption.service', 'utf8');
/** SQLite gives its files the owner of the database if it runs as root, as tests may. */
const ROOT_ONLY = 'fchown';

describeWith('systemd-analyze', 'strace')('the system calls that the unit allows', () => {
  /** Expands names of system calls and, with an `@`, of systemd's sets of them. */
  const expand = (names: readonly string[]): string[] =>
    names.flatMap((name) => {
      if (!name.startsWith('@')) return [name];
      const listed = execFileSync(locateProgram('systemd-analyze'), ['syscall-filter', name], { encoding: 'utf8' });
      return expand([...listed.matchAll(/^ {4}([@\w-]+)$/gm)].map(([, member = '']) => member));
    });

  it('are enough to start, to write, to read, and to stop', async () => {
    const { path, backend } = await createWorkingDirectory();
    const trace = join(path, 'trace');
    const launched = launchBuiltService(path, backend, '.', ['strace', '-D', '-f', '-q', '-o', trace]);
    const { origin, demoKey = '', stop } = await launched.listening;
    const client = new ApiClient(origin, demoKey);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect(await stop('SIGTERM')).toBe(0);
    const ended = `${launched.pid} +++ exited with 0 +++`;
    await until(() => readFileSync(trace, 'utf8').replace(/ +/g, ' ').includes(ended));

    const filters = [...unit.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)].map(([, isDenied, names = '']) => ({
      isDenied: isDenied === '~',
      calls: expand(names.split(' ')),
    }));
    const denied = new Set(filters.filter(({ isDenied }) => isDenied).flatMap(({ calls }) => calls));
    const allowed = new Set(filters.flatMap(({ isDenied, calls }) => (isDenied ? [] : calls)).filter((call) => !denied.has(call)));
    const made = new Set([...readFileSync(trace, 'utf8').matchAll(/^\d+ +(\w+)\(/gm)].map(([, call = '']) => call));
    expect(made.size).toBeGreaterThan(30);
    expect([...made].filter((call) => !allowed.has(call) && call !== ROOT_ONLY)).toEqual([]);
  });
});
