import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findFreePort } from '../databases/free-port.fixture.js';
import { environmentOf, readImage, valuesOf, wordsOf } from './dockerfile.fixture.js';
import { createProductionInstall, type ProductionInstall } from './production-install.fixture.js';

const image = readImage();
const [uid = 0, gid = 0] = (valuesOf(image, 'USER')[0] ?? '').split(':').map(Number);
// Only root can run something as another user; anybody else is not root already.
const user = process.getuid?.() === 0 ? { uid, gid } : undefined;

describe('the start command of the image, on a production install', () => {
  let install: ProductionInstall;
  let environment: Record<string, string>;
  let service: ChildProcess;
  let output = '';
  let pathsBefore: string[];

  /** Runs words of the Dockerfile where its paths are, as its user, with its variables and without a place to write to. */
  const run = (words: readonly string[]): ChildProcess => {
    const [program, ...rest] = words.map((word) => (word.startsWith('/app/') ? join(install.root, word) : word));
    if (program !== 'node') throw new Error(`The image runs node, not ${program ?? 'nothing'}.`);
    return spawn(process.execPath, rest, { cwd: join(install.root, valuesOf(image, 'WORKDIR').at(-1) ?? ''), env: environment, ...user });
  };
  const exitCode = async (child: ChildProcess): Promise<unknown> => (await once(child, 'close'))[0] as unknown;

  beforeAll(async () => {
    install = await createProductionInstall(user);
    const [port, managementPort] = await Promise.all([findFreePort(), findFreePort()]);
    environment = {
      ...environmentOf(image),
      PORT: `${port}`,
      MANAGEMENT_PORT: `${managementPort}`,
      HOME: '/nonexistent',
      TMPDIR: '/nonexistent',
    };
    pathsBefore = await install.paths();
    service = run(wordsOf(image, 'CMD'));
    await listening();
  });
  afterAll(async () => {
    service.kill('SIGKILL');
    await install.remove();
  });

  const listening = () =>
    new Promise<void>((resolve, reject) => {
      const collect = (chunk: Buffer) => {
        output += chunk.toString();
        if (/ listens on /.test(output)) resolve();
      };
      service.stdout?.on('data', collect);
      service.stderr?.on('data', collect);
      service.on('exit', (code) => reject(new Error(`The service ended with ${code ?? 'a signal'}:\n${output}`)));
    });

  it('serves, shows no key of its own, and is found well by its health check', async () => {
    const { status } = await fetch(`http://127.0.0.1:${environment['PORT'] ?? ''}/v1/pets`);
    expect(status).toBe(401);
    expect(output).not.toContain('adopt_');
    expect(await exitCode(run(wordsOf(image, 'HEALTHCHECK')))).toBe(0);
  });

  it('has the command line beside it', async () => {
    const created = run(['node', '/app/dist/programs/cli.js', 'keys', 'create', '--name', 'website']);
    let shown = '';
    created.stdout?.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    expect(await exitCode(created)).toBe(0);
    expect(JSON.parse(shown)).toMatchObject({ name: 'website', key: expect.stringMatching(/^adopt_live_/) });
  });

  it('writes to its volume alone, ends with 0 on SIGTERM, and is then found unwell', async () => {
    service.kill('SIGTERM');
    expect(await exitCode(service)).toBe(0);
    expect(await install.paths()).toEqual(pathsBefore);
    expect(await exitCode(run(wordsOf(image, 'HEALTHCHECK')))).toBe(1);
  });
});
