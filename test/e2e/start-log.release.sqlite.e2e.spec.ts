import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#libs/testing';
import { findFreePort } from '../databases/free-port.fixture.js';
import { createWorkingDirectory, logLines, runBuilt, startBuiltService, type WorkingDirectory } from './built-service.fixture.js';

const execute = promisify(execFile);
const HEAD = { time: expect.any(Number), pid: expect.any(Number), hostname: expect.any(String) };
const KEY = 'adopt_dev_planted';
/** What a service runs before it starts, to fail at a signal. */
const PLANT = `
  process.once('SIGUSR1', () => { throw new Error('planted with ${KEY}'); });
  process.once('SIGHUP', () => void Promise.reject(new Error('planted with ${KEY}')));
`;

describe('the log of a start', () => {
  let folder: WorkingDirectory;
  beforeEach(async () => (folder = await createWorkingDirectory()));

  const start = (environment: Record<string, string> = {}) => startBuiltService(folder.path, environment);
  const startPlanted = async () => {
    await writeFile(join(folder.path, 'plant.mjs'), PLANT);
    return start({ NODE_OPTIONS: `--import=${join(folder.path, 'plant.mjs')}` });
  };
  const fail = async (environment: Record<string, string>) => {
    const { code, stderr } = await runBuilt('main', [], { cwd: folder.path, environment: { MANAGEMENT_PORT: '0', ...environment } });
    expect(code).toBe(1);
    return stderr;
  };
  const pasteCurl = async (output: string): Promise<unknown> =>
    JSON.parse((await execute('bash', ['-c', /"curl":"([^"]*)"/.exec(output)?.[1] ?? ''])).stdout);

  it('is one JSON object a line, has the addresses as members, and the key once, with a curl line to paste', async () => {
    const service = await start();
    expect(await pasteCurl(service.output())).toEqual([]);
    expect(await service.stop('SIGTERM')).toBe(0);
    const { origin, management, demoKey = '' } = service;
    expect(logLines(service.output())).toMatchObject([
      {
        ...HEAD,
        level: 30,
        url: `${origin}/v1`,
        docs: `${origin}/docs`,
        metrics: `${management}/metrics`,
        console: `${management}/console`,
      },
      { ...HEAD, level: 30, key: demoKey },
      { msg: 'request', status: 200 },
      { level: 30, msg: 'stopped' },
    ]);
    // In the line of the key, as member and in the curl line.
    expect(service.output().split(demoKey)).toHaveLength(3);
  });

  it.each([
    ['is away', 'ECONNREFUSED', async () => `postgres://adoption@127.0.0.1:${await findFreePort()}/adoption`],
    ['is none', 'not a database', () => Promise.resolve('sqlite:./text.sqlite')],
  ])('says on one line that the database %s', async (_, reason, address) => {
    await writeFile(join(folder.path, 'text.sqlite'), 'This is a text and no database. '.repeat(100));
    const lines = logLines(await fail({ PORT: '0', DATABASE_URL: await address() }));
    expect(lines).toMatchObject([{ ...HEAD, level: 60, msg: expect.stringContaining(reason), err: { stack: expect.anything() } }]);
  });

  it.each(['SIGUSR1', 'SIGHUP'] as const)('reports an uncaught error (%s) without a key in it, and the end is 1', async (signal) => {
    const service = await startPlanted();
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
