import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../databases/free-port.fixture.js';
import {
  createWorkingDirectory,
  launchBuiltService,
  logLines,
  runBuilt,
  startBuiltService,
  type LaunchedService,
  type WorkingDirectory,
} from './built-service.fixture.js';

const execute = promisify(execFile);
const HEAD = { time: expect.any(Number), pid: expect.any(Number), hostname: expect.any(String) };
const KEY = 'adopt_dev_planted';
/** What a service runs before it starts, to fail or warn at a signal. */
const PLANT = `
  process.once('SIGUSR1', () => { throw new Error('planted with ${KEY}'); });
  process.once('SIGUSR2', () => process.emitWarning('planted', { type: 'PlantedWarning', code: 'PLANT1', detail: 'on two\\nlines' }));
  process.once('SIGHUP', () => void Promise.reject(new Error('planted in a promise')));
`;

let folder: WorkingDirectory;
let taken: Server | undefined;
let services: Pick<LaunchedService, 'stop'>[] = [];
beforeEach(async () => (folder = await createWorkingDirectory()));
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop('SIGKILL')));
  services = [];
  taken?.close();
  taken = undefined;
  await folder.remove();
});

const takenPort = async () => {
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  return String((taken.address() as AddressInfo).port);
};
const start = async (environment: Record<string, string> = {}) => {
  const service = await startBuiltService(folder.path, environment);
  services.push(service);
  return service;
};
const fail = async (environment: Record<string, string>) => {
  const { code, stdout, stderr } = await runBuilt('main', [], { cwd: folder.path, environment: { MANAGEMENT_PORT: '0', ...environment } });
  expect([code, logLines(stdout).filter(({ url }) => url !== undefined)]).toEqual([1, []]);
  return logLines(stderr);
};

describe('what the service says where its log is JSON', () => {
  it('is one object a line from the first line to the last, and has the addresses as members', async () => {
    const service = await start();
    expect((await fetch(`${service.origin}/v1/pets`)).status).toBe(401);
    expect(await service.stop('SIGTERM')).toBe(0);
    const { origin, management } = service;
    expect(logLines(service.output())).toMatchObject([
      {
        ...HEAD,
        level: 30,
        url: `${origin}/v1`,
        docs: `${origin}/docs`,
        metrics: `${management}/metrics`,
        console: `${management}/console`,
        msg: expect.stringContaining(`listens on ${origin}/v1 `),
      },
      { ...HEAD, level: 30, key: service.demoKey },
      { msg: 'request', status: 401 },
      { level: 30, msg: 'stopped' },
    ]);
  });

  it('has the key of a first start on a line of its own, with a curl line that can be pasted from it as it stands', async () => {
    const service = await start({ LOG_LEVEL: 'fatal' });
    expect(service.output().split(service.demoKey ?? '')).toHaveLength(3);
    const curl = /"curl":"([^"]*)"/.exec(service.output())?.[1] ?? '';
    const { stdout } = await execute('bash', ['-c', curl]);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  it('is nothing at the level silent, and the key is left to a start that can show it', async () => {
    const port = String(await findFreePort());
    const silent = launchBuiltService(folder.path, { LOG_LEVEL: 'silent', PORT: port });
    services.push(silent);
    silent.listening.catch(() => undefined);
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady()));
    expect(await silent.stop('SIGTERM')).toBe(0);
    expect(silent.output()).toBe('');
    expect((await start()).demoKey).toBeDefined();
  });

  it('names every mistake of the configuration, and what is nearly a variable, on one line', async () => {
    expect(await fail({ PORT: 'x', LOG_LEVEL: 'loud', LOG_FORMAT: 'colourful', CONSOLE_PASSWRD: 'hidden' })).toEqual([
      {
        ...HEAD,
        level: 60,
        problems: [
          expect.stringMatching(/^PORT must /),
          expect.stringMatching(/^LOG_LEVEL must /),
          expect.stringMatching(/^LOG_FORMAT must /),
        ],
        findNearVariables: [{ name: 'CONSOLE_PASSWRD', nearest: 'CONSOLE_PASSWORD' }],
        msg: expect.stringMatching(/^The configuration has mistakes: PORT must .*; LOG_LEVEL must .*CONSOLE_PASSWRD is set/),
      },
    ]);
  });

  it.each([
    ['a port that is taken', 'EADDRINUSE', async () => ({ PORT: await takenPort() })],
    ['a management port that is taken', 'MANAGEMENT_PORT', async () => ({ PORT: '0', MANAGEMENT_PORT: await takenPort() })],
    [
      'a database that is away',
      'ECONNREFUSED',
      async () => ({ PORT: '0', DATABASE_URL: `postgres://adoption@127.0.0.1:${await findFreePort()}/adoption` }),
    ],
    [
      'a database that is none',
      'not a database',
      async () => {
        await writeFile(join(folder.path, 'text.sqlite'), 'This is a text and no database. '.repeat(100));
        return { PORT: '0', DATABASE_URL: 'sqlite:./text.sqlite' };
      },
    ],
  ])('names %s, at the level silent too', async (_, reason, environment) => {
    const [line, ...others] = await fail({ ...(await environment()), LOG_LEVEL: 'silent' });
    expect(line).toMatchObject({
      ...HEAD,
      level: 60,
      msg: expect.stringMatching(/^The service cannot start: /),
      err: { stack: expect.anything() },
    });
    expect([line?.['msg'], others]).toEqual([expect.stringContaining(reason), []]);
  });

  it.each([
    ['an error that nobody caught', 'SIGUSR1', 'planted with ***'],
    ['a promise that nobody awaited', 'SIGHUP', 'planted in a promise'],
  ] as const)('tells of %s, without a key in it, and ends with 1', async (_, signal, message) => {
    await writeFile(join(folder.path, 'plant.mjs'), PLANT);
    const service = await start({ NODE_OPTIONS: `--import=${join(folder.path, 'plant.mjs')}` });
    process.kill(service.pid, signal);
    while (!service.output().includes('uncaught error')) await new Promise((resolve) => setImmediate(resolve));
    expect(await service.stop('SIGTERM')).toBe(1);
    expect(logLines(service.output()).at(-1)).toMatchObject({
      level: 60,
      msg: `The service stops because of an uncaught error: ${message}`,
      err: { type: 'Error', message, stack: expect.stringContaining('plant.mjs') },
    });
    expect(service.output()).not.toContain(KEY);
  });

  it("tells of Node's warnings, once each, from the level warn on", async () => {
    await writeFile(join(folder.path, 'plant.mjs'), PLANT);
    const environment = { NODE_OPTIONS: `--import=${join(folder.path, 'plant.mjs')}` };
    const warnings = async (level: string) => {
      const service = await start({ ...environment, LOG_LEVEL: level });
      process.kill(service.pid, 'SIGUSR2');
      expect((await fetch(`${service.origin}/health/live`)).status).toBe(200);
      expect(await service.stop('SIGTERM')).toBe(0);
      return logLines(service.output()).filter((line) => line['msg'] === 'planted');
    };
    expect(await warnings('warn')).toEqual([{ ...HEAD, level: 40, warning: 'PlantedWarning', code: 'PLANT1', msg: 'planted' }]);
    expect(await warnings('error')).toEqual([]);
  });
});

describe('the form of what is said before there is a configuration', () => {
  it.each([
    ['LOG_FORMAT', { LOG_FORMAT: 'pretty' }, ''],
    ['.env', {}, 'LOG_FORMAT=pretty\n'],
  ])('is that of %s', async (_, environment, file) => {
    const { backend, path } = folder;
    await writeFile(join(path, '.env'), file);
    const { code, stdout, stderr } = await runBuilt('main', [], { cwd: path, environment: { ...backend, ...environment, PORT: 'x' } });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The configuration has mistakes:\n {2}PORT must be [^\n]+\n$/),
    });
  });
});

describe('the address that is said', () => {
  it.each([
    ['0.0.0.0', /^http:\/\/0\.0\.0\.0:(\d+)$/, '127.0.0.1'],
    ['::', /^http:\/\/\[::\]:(\d+)$/, '[::1]'],
    ['localhost', /^http:\/\/(?:127\.0\.0\.1|\[::1\]):(\d+)$/, 'localhost'],
  ])('is the one that is bound with HOST=%s, on either port, and the curl line leads there', async (host, pattern, reachable) => {
    const service = await start({ HOST: host, MANAGEMENT_HOST: host });
    expect([service.origin, service.management]).toEqual([expect.stringMatching(pattern), expect.stringMatching(pattern)]);
    expect((await fetch(`http://${reachable}:${pattern.exec(service.origin)?.[1] ?? ''}/health/live`)).status).toBe(200);
    const { stdout } = await execute('bash', ['-c', /"curl":"([^"]*)"/.exec(service.output())?.[1] ?? '']);
    expect(JSON.parse(stdout)).toEqual([]);
  });
});

describe('a start without an API key that may be used', () => {
  const commands = async (environment: Record<string, string>) => {
    const service = await start(environment);
    await service.stop('SIGTERM');
    return logLines(service.output()).flatMap(({ level, command }) => (typeof command === 'string' ? [{ level, command }] : []));
  };

  it.each(['staging', 'production'])('says in %s by which command one is made, until there is one', async (deployment) => {
    const [said, ...others] = await commands({ DEPLOYMENT: deployment });
    expect([said, others]).toEqual([{ level: 40, command: expect.stringContaining(`DEPLOYMENT=${deployment} `) }, []]);
    const { stdout } = await execute('bash', ['-c', said?.command ?? ''], { env: { ...process.env, ...folder.backend } });
    expect(stdout).toMatch(/"key":"adopt_(?:stg|live)_/);
    expect(await commands({ DEPLOYMENT: deployment })).toEqual([]);
  });

  it('says so too where all were revoked or have expired', async () => {
    const environment = { ...folder.backend, DEPLOYMENT: 'production' };
    const keys = async (...words: string[]) => {
      expect((await runBuilt('cli', ['keys', ...words], { cwd: folder.path, environment })).code).toBe(0);
    };
    expect((await runBuilt('cli', ['db', 'migrate'], { cwd: folder.path, environment })).code).toBe(0);
    await keys('create', '--name', 'expired', '--expires-in', '1s');
    await keys('create', '--name', 'revoked');
    expect(await commands(environment)).toEqual([]);
    await keys('revoke', '2');
    let said: unknown[] = [];
    while (said.length === 0) said = await commands(environment);
    expect(said).toEqual([{ level: 40, command: expect.stringContaining('keys create') }]);
  });

  it('makes one in development and says nothing', async () => {
    expect(await commands({})).toEqual([]);
    expect(await commands({})).toEqual([]);
  });
});
