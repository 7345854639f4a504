import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { copyTree } from '../generator/tree-copy.fixture.js';
import { createWorkingDirectory } from './built-service.fixture.js';

const run = promisify(execFile);
const LISTENING = /listens on (http:\/\/[^/\s]+)/;

/** The file of this npm's program, for a process without others in between. */
async function npmProgram(version: number): Promise<string> {
  const { stdout } = await run('npm', ['exec', '--yes', `--package=npm@${version}`, '--call', 'readlink -f "$(command -v npm)"']);
  return stdout.trim();
}

describe.each([10, 11])('SIGTERM to npm %i', (version) => {
  it.each([
    ['start', '/usr/bin/dash'],
    ['start', '/usr/bin/bash'],
    ['start:prod', '/usr/bin/dash'],
    ['start:prod', '/usr/bin/bash'],
  ])('that runs %s by %s -c ends the server', async (script, shell) => {
    const [{ root }, { backend }] = await Promise.all([copyTree(), createWorkingDirectory()]);
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { readonly scripts: object };
    // It is built already.
    await writeFile(join(root, 'package.json'), JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, build: 'true' } }));
    const npm = spawn(process.execPath, [await npmProgram(version), 'run', script], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', npm_config_script_shell: shell, PORT: '0', MANAGEMENT_PORT: '0', ...backend },
      // Whatever is left of it can be ended.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    closeAtEnd(() => endGroup(npm.pid));
    let output = '';
    const listening = new Promise<string>((resolve) => {
      npm.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const [, origin] = LISTENING.exec(output) ?? [];
        if (origin !== undefined) resolve(origin);
      });
    });
    const origin = await listening;
    npm.kill('SIGTERM');
    // The server holds its end of this pipe for as long as it runs.
    await once(npm.stdout, 'close');
    await expect(fetch(`${origin}/health/live`)).rejects.toThrow('fetch failed');
  });
});

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}
