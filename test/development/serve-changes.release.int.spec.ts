import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from '../databases/free-port.fixture.js';

const COPIED = ['CHANGELOG.md', 'dist', 'libs', 'package.json', 'scripts', 'src', 'nest-cli.json', 'tsconfig.build.json', 'tsconfig.json'];
const PAGE = 'src/graphql/graphql.module.ts';
const TITLE = 'Animal adoption service: GraphiQL';

describe('"npm run start:dev"', () => {
  let root: string;
  let origin: string;
  let development: ChildProcess;
  let sources: string;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'adoption-development-'));
    closeAtEnd(() => rmSync(root, { recursive: true }));
    for (const name of COPIED) cpSync(name, join(root, name), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    sources = readFileSync(PAGE, 'utf8');
    const port = await findFreePort();
    origin = `http://127.0.0.1:${port}`;
    development = spawn(process.execPath, ['scripts/development/serve-changes.mjs'], {
      cwd: root,
      env: { ...process.env, PORT: `${port}`, MANAGEMENT_PORT: '0', LOG_LEVEL: 'silent', PUBLIC_REQUESTS_PER_MINUTE: '1000000' },
      stdio: 'ignore',
    });
    closeAtEnd(() => development.kill('SIGKILL'));
    await showing(TITLE);
  });

  const save = (title: string, more = '') => writeFileSync(join(root, PAGE), `${sources.replace(TITLE, title)}${more}`);
  const page = async () =>
    fetch(`${origin}/graphiql`).then(
      async (answer) => answer.text(),
      () => '',
    );
  const compilesChanged = (path: string) => {
    const program = `import { compileChanged } from './scripts/development/compile-changed.mjs'; console.log(compileChanged(['${path}']));`;
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: root, encoding: 'utf8' })) as boolean;
  };
  const showing = async (title: string) => {
    while (!(await page()).includes(title)) await delay(20);
  };

  it('serves what was saved', async () => {
    save('Saved');
    await showing('Saved');
  });

  it('takes a mistake in types for the types alone', async () => {
    save('Wrong types', '\nexport const wrong: string = 3;\n');
    await showing('Wrong types');
  });

  it('goes on with what it served while the syntax is wrong', async () => {
    save('Wrong syntax', '\nexport const = 3;\n');
    expect(compilesChanged(PAGE)).toBe(false);
    expect(await page()).toContain('Wrong types');
    save('Mended');
    await showing('Mended');
  });

  it('serves again after what was saved ended it', async () => {
    save('Ended', '\nprocess.exit(1);\n');
    while ((await page()) !== '') await delay(20);
    save('Back');
    await showing('Back');
  });

  it('serves the last of several changes', async () => {
    for (const title of ['First', 'Second', 'Last']) {
      save(title);
      await delay(100);
    }
    await showing('Last');
  });

  it('ends with the service', async () => {
    const ended = once(development, 'exit');
    development.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(await page()).toBe('');
  });
});
