import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '#libs/testing';
import {
  createWorkingDirectory,
  logLines,
  runBuilt,
  startBuiltService,
  type BuiltService,
  type WorkingDirectory,
} from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';

const executeFile = promisify(execFile);
const PLANTED_KEY = 'adopt_dev_planted';
/** What a service runs before it starts, to fail at a signal. */
const PLANT = `
  process.once('SIGUSR1', () => { throw new Error('planted with ${PLANTED_KEY}'); });
  process.once('SIGHUP', () => void Promise.reject(new Error('planted with ${PLANTED_KEY}')));
`;

describe('starting the built service', () => {
  let folder: WorkingDirectory;
  let file: string;
  const services: BuiltService[] = [];
  beforeEach(async () => {
    folder = await createWorkingDirectory();
    file = join(folder.path, 'data', 'adoption.sqlite');
  });
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop('SIGKILL');
    await folder.remove();
  });

  const start = async (environment: Record<string, string> = folder.backend) => {
    const service = await startBuiltService(folder.path, environment);
    services.push(service);
    return service;
  };
  const fail = async (environment: Record<string, string>) => {
    const { code, stdout, stderr } = await runBuilt('main', [], { cwd: folder.path, environment });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    return stderr;
  };
  /** What the one line says with which a start on the file ends. */
  const refusal = async (url = `sqlite:${file}`) => {
    const [line, ...others] = logLines(await fail({ DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'silent' }));
    expect([line?.['level'], others]).toEqual([60, []]);
    return String(line?.['msg']);
  };
  const addPet = ({ origin, demoKey = '' }: BuiltService, headers: Record<string, string> = {}) =>
    fetchDocumented(`${origin}/v1/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demoKey}`, 'content-type': 'application/json', ...headers },
      body: '{"name":"Rex","categoryId":9223372036854775807}',
    });

  it('makes a key named demo once, shows it once, and prints a curl line that works when pasted', async () => {
    const first = await start({ LOG_FORMAT: 'pretty' });
    const curl = /^ {2}(curl .*)$/m.exec(first.output())?.[1] ?? '';
    const { stdout } = await executeFile('bash', ['-c', curl]);
    const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
    expect(JSON.parse(stdout)).toEqual(rex);
    const authorization = `Bearer ${first.demoKey ?? ''}`;
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(first.lastLine()).toMatch(/^\[[\d:.]+\] INFO: stopped in \d+ ms$/);

    const second = await start();
    expect(second.output()).not.toContain('adopt_dev_');
    const answer = await fetchDocumented(`${second.origin}/v1/pets`, { headers: { authorization } });
    expect(await answer.json()).toEqual([rex]);
    expect(await second.stop('SIGINT')).toBe(0);
    expect(JSON.parse(second.lastLine())).toMatchObject({ level: 30, msg: 'stopped', durationMs: expect.any(Number) });
  });

  it('reads .env in its working directory, over which wins what is set, and warns of what is nearly a variable', async () => {
    await writeFile(join(folder.path, '.env'), 'DATABASE_URL=sqlite:./elsewhere.sqlite\nDEPLOYMENT=production\n');
    const { demoKey, output } = await start({ DEPLOYMENT: 'development', LOG_LVL: 'hidden', PGPORT: 'hidden', npm_config_port: 'hidden' });
    expect(demoKey).toBeDefined();
    expect((await readFile(join(folder.path, 'elsewhere.sqlite'))).length).toBeGreaterThan(0);
    const warnings = output()
      .split('\n')
      .filter((line) => line.includes('"level":40'))
      .map((line) => JSON.parse(line) as unknown);
    expect(warnings).toMatchObject([{ variable: 'LOG_LVL', nearest: 'LOG_LEVEL' }]);
    expect(output()).not.toContain('hidden');
  });

  it('writes no key, authorization header or body to its log, whatever a client puts where', async () => {
    const { origin, demoKey = '', output, stop } = await start({ LOG_LEVEL: 'trace' });
    const secret = demoKey.split('_')[2] ?? '';
    const printed = output().split(secret).length;
    const authorization = `Bearer ${demoKey}`;
    const encoded = [...demoKey].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    const carried = { authorization, 'x-request-id': demoKey, 'user-agent': demoKey, referer: demoKey };
    for (const path of [`v1/pets/${demoKey}`, `v1/${demoKey}/x`, `v1/${encoded}`, `v1/pets?status=${demoKey}`, demoKey]) {
      await fetchDocumented(`${origin}/${path}`, { headers: carried });
    }
    const post = (path: string, body: object, headers = {}) =>
      fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    await post('/v1/pets', { name: `secret-body ${demoKey}`, categoryId: 'secret-body' }, { 'idempotency-key': demoKey });
    const query = 'query($id: ID!) { pet(id: $id) { id secret_body: name } }';
    await post('/graphql', { query, variables: { id: `secret-body ${demoKey}` } });
    await fetch(`${origin}/graphql?query=${encodeURIComponent('{ secret_body: petCounts { count } }')}`, { headers: { authorization } });
    await stop('SIGTERM');
    expect(output().split(secret)).toHaveLength(printed);
    for (const text of ['secret_body', 'secret-body', encoded.slice(0, 60)]) expect(output()).not.toContain(text);
    expect(output().match(/"route":"\/graphql"/g)).toHaveLength(2);
    expect(output().match(/"status":/g)?.length).toBeGreaterThanOrEqual(7);
  });

  it.each(['SIGUSR1', 'SIGHUP'] as const)('reports an uncaught error (%s) without a key in it, and the end is 1', async (signal) => {
    const plant = join(folder.path, 'plant.mjs');
    await writeFile(plant, PLANT);
    const { pid, output, stop } = await start({ NODE_OPTIONS: `--import=${plant}` });
    process.kill(pid, signal);
    await until(() => output().includes('uncaught error'), output);
    expect(await stop('SIGTERM')).toBe(1);
    const msg = 'The service stops because of an uncaught error: planted with ***';
    expect(logLines(output()).at(-1)).toMatchObject({ level: 60, msg, err: { stack: expect.stringContaining('plant.mjs') } });
    expect(output()).not.toContain(PLANTED_KEY);
  });

  it('is refused on a file that another service uses, by whichever path, until that one has ended, and keeps what it acknowledged', async () => {
    const first = await start();
    const added = await (await addPet(first, { 'idempotency-key': 'k' })).text();
    await symlink(file, join(folder.path, 'link.sqlite'));
    await symlink(join(folder.path, 'data'), join(folder.path, 'other'));
    for (const path of ['./link.sqlite', './other/adoption.sqlite']) {
      const expected = `another service uses ${file}, and only one service can use a database file`;
      expect(await refusal(`sqlite:${path}`)).toContain(expected);
    }
    await first.stop('SIGKILL');
    const together = await Promise.allSettled([1, 2, 3].map(() => start()));
    const [second, ...others] = together.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    expect(others).toEqual([]);
    for (const each of together) {
      if (each.status === 'rejected') expect(String(each.reason)).toContain('only one service can use a database file');
    }
    const replayed = await addPet({ ...first, origin: second?.origin ?? '' }, { 'idempotency-key': 'k' });
    expect([await replayed.text(), replayed.headers.get('idempotency-replayed')]).toEqual([added, 'true']);
    await second?.stop('SIGTERM');
    await start();
  });
});
