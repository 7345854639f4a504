import { spawnSync } from 'node:child_process';

const PROGRAM = 'test/deployment/containers/run-containers.mjs';

describe('npm run test:containers where no engine answers', () => {
  const run = (...words: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
    spawnSync(process.execPath, [PROGRAM, ...words], {
      encoding: 'utf8',
      env: { ...process.env, DOCKER_HOST: 'unix:///nonexistent/docker.sock' },
    });

  it('fails, and says what is missing and how to do without it', () => {
    const { status, stderr } = run();

    expect(status).toBe(1);
    expect(stderr).toMatch(/no container engine with docker compose answers here: .+/i);
    expect(stderr).toContain('--without-engine');
  });

  it('passes when told so, and says that nothing was tested', () => {
    const { status, stdout, stderr } = run('--without-engine', '--json');

    expect(status).toBe(0);
    expect(stderr).toMatch(/^NOT RUN: the tests of the image and of docker compose, because no container engine/m);
    expect(stdout).toBe('');
  });
});
