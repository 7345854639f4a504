import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createWorkingDirectory, runBuilt, startBuiltService, type BuiltService } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';

const execute = promisify(execFile);

describe('starting the built service', () => {
  let folder: { path: string; remove(): Promise<void> };
  let service: BuiltService | undefined;
  beforeEach(async () => (folder = await createWorkingDirectory()));
  afterEach(async () => {
    await service?.stop('SIGKILL');
    service = undefined;
    await folder.remove();
  });

  const start = async (environment: Record<string, string> = {}) => (service = await startBuiltService(folder.path, environment));

  it('makes a key named demo once and prints a curl line that works when pasted', async () => {
    const first = await start({ LOG_FORMAT: 'pretty' });
    const curl = /^ {2}(curl .*)$/m.exec(first.output())?.[1] ?? '';
    const { stdout } = await execute('bash', ['-c', curl]);
    expect(JSON.parse(stdout)).toEqual({ id: 1, name: 'Rex', categoryId: 7, status: 'available' });
    const authorization = `Bearer ${first.demoKey ?? ''}`;
    expect(await first.stop('SIGTERM')).toBe(0);

    const second = await start();
    expect(second.output()).not.toContain('adopt_dev_');
    const answer = await fetchDocumented(`${second.origin}/v1/pets`, { headers: { authorization } });
    expect(await answer.json()).toEqual([{ id: 1, name: 'Rex', categoryId: 7, status: 'available' }]);
    expect(await second.stop('SIGINT')).toBe(0);
  });

  it.each(['staging', 'production'])('makes no key in %s', async (deployment) => {
    expect((await start({ DEPLOYMENT: deployment })).output()).not.toContain('adopt_');
  });

  it('reads .env in its working directory, and what is set wins over it', async () => {
    await writeFile(join(folder.path, '.env'), 'DATABASE_URL=sqlite:./elsewhere.sqlite\nDEPLOYMENT=production\n');
    expect((await start({ DEPLOYMENT: 'development' })).demoKey).toBeDefined();
    expect((await readFile(join(folder.path, 'elsewhere.sqlite'))).length).toBeGreaterThan(0);
  });

  it('names every mistake of the configuration and ends with 1', async () => {
    const environment = { PORT: 'x', LOG_LEVEL: 'loud', LOG_FORMAT: 'pretty' };
    const { code, stdout, stderr } = await runBuilt('main', [], { cwd: folder.path, environment });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/PORT must be .*\n.*LOG_LEVEL must be one of/);
  });

  it('warns of variables that are nearly one of its own, without their values', async () => {
    const { output } = await start({ LOG_LVL: 'hidden', CONSOLE_PASSWRD: 'hidden', PGPORT: 'hidden', npm_config_port: 'hidden' });
    const warnings = output()
      .split('\n')
      .filter((line) => line.includes('"level":40'))
      .map((line) => JSON.parse(line) as unknown);
    expect(warnings).toMatchObject([
      {
        variable: 'LOG_LVL',
        nearest: 'LOG_LEVEL',
        msg: 'LOG_LVL is set, but is not a variable of this service; the nearest is LOG_LEVEL.',
      },
      { variable: 'CONSOLE_PASSWRD', nearest: 'CONSOLE_PASSWORD' },
    ]);
    expect(output()).not.toContain('hidden');
  });

  it('names such variables beside the mistakes that may come of them', async () => {
    const environment = { CONSOLE: 'on', DEPLOYMENT: 'production', CONSOLE_PASSWRD: 'hidden', LOG_FORMAT: 'pretty' };
    const { code, stderr } = await runBuilt('main', [], { cwd: folder.path, environment });
    expect(code).toBe(1);
    expect(stderr).toMatch(/CONSOLE_PASSWORD must be set.*\nCONSOLE_PASSWRD is set, .* the nearest is CONSOLE_PASSWORD\.\n$/);
    expect(stderr).not.toContain('hidden');
  });

  it('ends with 1 and one clear line when the database cannot be opened or the port is taken', async () => {
    await writeFile(join(folder.path, 'text.sqlite'), 'This is a text and no database. '.repeat(100));
    const forPeople = { LOG_FORMAT: 'pretty', LOG_LEVEL: 'silent' };
    const onText = { ...forPeople, DATABASE_URL: 'sqlite:./text.sqlite', PORT: '0' };
    const noDatabase = await runBuilt('main', [], { cwd: folder.path, environment: onText });
    expect(noDatabase).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The service cannot start: .*not a database.*\n$/) });
    const { origin } = await start();
    const environment = { ...forPeople, DATABASE_URL: 'sqlite:./other.sqlite', PORT: new URL(origin).port, MANAGEMENT_PORT: '0' };
    const taken = await runBuilt('main', [], { cwd: folder.path, environment });
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The service cannot start: .*EADDRINUSE.*\n$/) });
  });

  it('shows its key on the start that comes up, after one that found the port taken', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const taken = await runBuilt('main', [], { cwd: folder.path, environment: { PORT: `${port}`, MANAGEMENT_PORT: '0' } });
    blocker.close();
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('EADDRINUSE') });
    expect((await start()).demoKey).toBeDefined();
  });

  it('ends with 1 and names MANAGEMENT_PORT when that one is taken, and does without it when it is off', async () => {
    const { management } = await start();
    const elsewhere = { DATABASE_URL: 'sqlite:./other.sqlite', PORT: '0' };
    const environment = { ...elsewhere, MANAGEMENT_PORT: new URL(management).port, LOG_FORMAT: 'pretty' };
    const taken = await runBuilt('main', [], { cwd: folder.path, environment });
    expect(taken).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The service cannot start: MANAGEMENT_PORT \d+ of .* is taken.*\n$/),
    });
    const without = await startBuiltService(folder.path, { ...elsewhere, MANAGEMENT_PORT: 'off' });
    expect(without.management).toBe('');
    expect(await without.stop('SIGTERM')).toBe(0);
  });

  it('keeps an acknowledged animal and its idempotency key through SIGKILL', async () => {
    const first = await start();
    const headers = { authorization: `Bearer ${first.demoKey ?? ''}`, 'content-type': 'application/json', 'idempotency-key': 'k' };
    const request = { method: 'POST', headers, body: '{"name":"Rex","categoryId":9223372036854775807}' };
    const added = await (await fetchDocumented(`${first.origin}/v1/pets`, request)).text();
    await first.stop('SIGKILL');

    const second = await start();
    const replayed = await fetchDocumented(`${second.origin}/v1/pets`, request);
    expect(await replayed.text()).toBe(added);
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
  });

  it('finishes requests in flight when it is told to end', async () => {
    const { origin, demoKey, stop } = await start();
    const headers = { authorization: `Bearer ${demoKey ?? ''}`, 'content-type': 'application/json' };
    const requests = Array.from({ length: 50 }, () =>
      fetchDocumented(`${origin}/v1/pets`, { method: 'POST', headers, body: '{"name":"a","categoryId":1}' }),
    );
    await Promise.race(requests);
    const ended = stop('SIGTERM');
    const outcomes = await Promise.allSettled(requests);
    expect(await ended).toBe(0);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') expect(outcome.value.status).toBe(201);
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
  });

  it('writes no key, authorization header or body to its log, whatever a client puts where', async () => {
    const { origin, demoKey = '', output, stop } = await start({ LOG_LEVEL: 'trace' });
    const secret = demoKey.split('_')[2] ?? '';
    const printed = output().split(secret).length;
    const authorization = `Bearer ${demoKey}`;
    const encoded = [...demoKey].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    for (const target of [
      `/v1/pets/${demoKey}`,
      `/v1/${demoKey}/x`,
      `/v1/${encoded}`,
      `/v1/pets?key=${demoKey}`,
      `/${demoKey}`,
      `/v1/pets?status=${demoKey}`,
    ]) {
      await fetchDocumented(origin + target, {
        headers: { authorization, 'x-request-id': demoKey, 'user-agent': demoKey, referer: demoKey },
      });
    }
    const body = JSON.stringify({ name: `secret-body ${demoKey}`, categoryId: 'secret-body' });
    await fetchDocumented(`${origin}/v1/pets`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': demoKey },
      body,
    });
    const document = JSON.stringify({
      query: 'query($id: ID!) { pet(id: $id) { id secret_body: name } }',
      variables: { id: `secret-body ${demoKey}` },
    });
    const headers = { authorization, 'content-type': 'application/json' };
    await fetch(`${origin}/graphql`, { method: 'POST', headers, body: document });
    await fetch(`${origin}/graphql?query=${encodeURIComponent('{ secret_body: petCounts { count } }')}`, { headers: { authorization } });
    await stop('SIGTERM');
    expect(output().split(secret)).toHaveLength(printed);
    expect(output()).not.toContain('secret_body');
    expect(output().match(/"route":"\/graphql"/g)).toHaveLength(2);
    expect(output()).not.toContain(encoded.slice(0, 60));
    expect(output()).not.toContain('secret-body');
    expect(output().match(/"status":/g)?.length).toBeGreaterThanOrEqual(7);
  });
});
