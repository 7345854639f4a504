import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { copyTree } from '../generator/tree-copy.fixture.js';
import { createWorkingDirectory } from './built-service.fixture.js';

const LISTENING = /listens on (http:\/\/[^/\s]+)/;
const CASES = [10, 11].flatMap((npm) =>
  ['start', 'start:prod'].flatMap((script) => ['dash', 'bash'].map((shell) => [npm, script, shell] as const)),
);

/** The file of this npm's program, for a process without others in between. */
async function npmProgram(version: number): Promise<string> {
  const words = ['exec', '--yes', `--package=npm@${version}`, '--call', 'readlink -f "$(command -v npm)"'];
  return (await promisify(execFile)('npm', words)).stdout.trim();
}

describe('SIGTERM to npm', () => {
  it.each(CASES)('%i that runs %s by %s ends the server', async (version, script, shell) => {
    const [{ root }, { backend }] = await Promise.all([copyTree(), createWorkingDirectory()]);
    const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { readonly scripts: object };
    // It is built already.
    await writeFile(join(root, 'package.json'), JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, build: 'true' } }));
    const npm = spawn(process.execPath, [await npmProgram(version), 'run', script], {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', npm_config_script_shell: `/usr/bin/${shell}`, PORT: '0', MANAGEMENT_PORT: '0', ...backend },
      // What is left of its group can be ended.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    closeAtEnd(() => endGroup(npm.pid));
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [, origin = ''] =
      (await until(
        () => LISTENING.exec(output),
        () => output,
      )) ?? [];
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
