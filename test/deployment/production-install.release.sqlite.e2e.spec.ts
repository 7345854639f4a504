import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from '../databases/free-port.fixture.js';
import { finished } from '../e2e/built-service.fixture.js';
import { readImage } from './dockerfile.fixture.js';
import { createProductionInstall, type ProductionInstall } from './production-install.fixture.js';

interface Doctor {
  readonly place: string;
  readonly problems: readonly string[];
}

describe('the commands of the image, on a production install', () => {
  const image = readImage();
  // Only root can run something as another user; anybody else is not root already.
  const user = process.getuid?.() === 0 ? image.user : undefined;
  let install: ProductionInstall;
  let environment: Record<string, string>;
  beforeAll(async () => {
    install = await createProductionInstall(user);
    const [port, managementPort] = [await findFreePort(), await findFreePort()];
    environment = {
      ...image.environment,
      PORT: `${port}`,
      MANAGEMENT_PORT: `${managementPort}`,
      HOME: '/nonexistent',
      TMPDIR: '/nonexistent',
    };
  });

  /** Runs words of the Dockerfile as its user, with its variables, and without a place to write to. */
  const run = ([program, ...words]: readonly string[]) => {
    expect(program).toBe('node');
    const located = words.map((word) => (word.startsWith('/app/') ? join(install.root, word) : word));
    return spawn(process.execPath, located, { cwd: join(install.root, image.folder), env: environment, ...user });
  };
  const cli = async (...words: string[]) => finished(run(['node', '/app/dist/programs/cli.js', ...words]));

  it('serve, keep keys out of the log, write to the volume only, and end with 0 on SIGTERM', async () => {
    const before = await install.paths();
    expect(JSON.parse((await cli('doctor', '--json')).stdout) as Doctor).toMatchObject({
      place: 'image',
      problems: [expect.stringContaining('run "adoption db migrate"')],
    });
    expect((await cli('db', 'migrate')).code).toBe(0);
    const service = run(image.command);
    closeAtEnd(() => service.kill('SIGKILL'));
    const ended = finished(service);
    const isServed = () =>
      fetch(`http://127.0.0.1:${environment['PORT'] ?? ''}/v1/pets`).then(
        ({ status }) => status === 401,
        () => service.exitCode !== null,
      );
    await until(isServed);
    expect((await finished(run(image.healthCheck))).code).toBe(0);
    const created = await cli('keys', 'create', '--name', 'website');
    expect(JSON.parse(created.stdout)).toMatchObject({ name: 'website', key: expect.stringMatching(/^adopt_live_/) });
    service.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('adopt_');
    expect((await finished(run(image.healthCheck))).code).toBe(1);
    expect(await install.paths()).toEqual(before);
  });
});
