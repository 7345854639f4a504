import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#libs/testing';
import { createWorkingDirectory, logLines, runBuilt, startBuiltService, type WorkingDirectory } from './built-service.fixture.js';

const execute = promisify(execFile);
const KEY = 'adopt_dev_planted';
/** What a service runs before it starts, to fail at a signal. */
const PLANT = `
  process.once('SIGUSR1', () => { throw new Error('planted with ${KEY}'); });
  process.once('SIGHUP', () => void Promise.reject(new Error('planted with ${KEY}')));
`;

describe('the log of a start', () => {
  let folder: WorkingDirectory;
  beforeEach(async () => (folder = await createWorkingDirectory()));

  const start = (environment: Record<string, string>) => startBuiltService(folder.path, environment);

  it.each(['SIGUSR1', 'SIGHUP'] as const)('reports an uncaught error (%s) without a key in it, and the end is 1', async (signal) => {
    const plant = join(folder.path, 'plant.mjs');
    await writeFile(plant, PLANT);
    const service = await start({ NODE_OPTIONS: `--import=${plant}` });
    process.kill(service.pid, signal);
    await until(() => service.output().includes('uncaught error'), service.output);
    expect(await service.stop('SIGTERM')).toBe(1);
    expect(logLines(service.output()).at(-1)).toMatchObject({
      level: 60,
      msg: 'The service stops because of an uncaught error: planted with ***',
      err: { type: 'Error', stack: expect.stringContaining('plant.mjs') },
    });
    expect(service.output()).not.toContain(KEY);
  });

  it('has the command that makes a key in production, until there is a key that may be used', async () => {
    const environment = { ...folder.backend, DEPLOYMENT: 'production' };
    const commands = async () => {
      const service = await start(environment);
      await service.stop('SIGTERM');
      return logLines(service.output()).flatMap(({ command }) => (typeof command === 'string' ? [command] : []));
    };
    const [command = '', ...others] = await commands();
    expect([command, others]).toEqual([expect.stringContaining('DEPLOYMENT=production '), []]);
    const { stdout } = await execute('bash', ['-c', command], { env: { ...process.env, ...folder.backend } });
    expect(stdout).toMatch(/"key":"adopt_live_/);
    expect(await commands()).toEqual([]);
    expect((await runBuilt('cli', ['keys', 'revoke', '1'], { cwd: folder.path, environment })).code).toBe(0);
    expect(await commands()).toHaveLength(1);
  });
});
