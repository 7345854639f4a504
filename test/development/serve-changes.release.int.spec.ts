import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from '../databases/free-port.fixture.js';
import { copyTree } from '../generator/tree-copy.fixture.js';

const PAGE = 'src/graphql/graphiql.ts';
const TITLE = 'Animal adoption service: GraphiQL';

describe('"npm run start:dev"', () => {
  it('serves what was saved, despite wrong types, wrong syntax and an end before, and ends with the service', async () => {
    const { root } = await copyTree();
    const port = `${await findFreePort()}`;
    const development = spawn(process.execPath, ['scripts/development/serve-changes.mjs'], {
      cwd: root,
      env: { ...process.env, PORT: port, MANAGEMENT_PORT: '0', LOG_LEVEL: 'silent', PUBLIC_REQUESTS_PER_MINUTE: '1000000' },
      stdio: 'ignore',
    });
    closeAtEnd(() => development.kill('SIGKILL'));
    const sources = readFileSync(PAGE, 'utf8');
    const save = (title: string, more = '') => writeFileSync(join(root, PAGE), `${sources.replace(TITLE, title)}${more}`);
    const page = () =>
      fetch(`http://127.0.0.1:${port}/graphiql`).then(
        async (response) => response.text(),
        () => '',
      );
    const showing = (title: string) => until(async () => (await page()).includes(title));

    await showing(TITLE);
    save('Wrong types', '\nexport const wrong: string = 3;\n');
    await showing('Wrong types');
    save('Wrong syntax', '\nexport const = 3;\n');
    save('Ended', '\nprocess.exit(1);\n');
    await until(async () => (await page()) === '');
    for (const title of ['First', 'Second', 'Last']) save(title);
    await showing('Last');
    const ended = once(development, 'exit');
    development.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(await page()).toBe('');
  });
});
