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

it('"npm run start:dev" serves what was saved, also after what does not compile, and ends as a terminal ends it', async () => {
  const { root } = await copyTree();
  const port = `${await findFreePort()}`;
  const development = spawn('npm', ['run', 'start:dev'], {
    cwd: root,
    env: { ...process.env, PORT: port, MANAGEMENT_PORT: '0', LOG_LEVEL: 'silent', PUBLIC_REQUESTS_PER_MINUTE: '1000000' },
    stdio: 'ignore',
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => process.kill(-(development.pid ?? 0), name);
  closeAtEnd(() => {
    if (development.exitCode === null && development.signalCode === null) signal('SIGKILL');
  });
  const sources = readFileSync(PAGE, 'utf8');
  const save = (title: string, more = '') => writeFileSync(join(root, PAGE), `${sources.replace(TITLE, title)}${more}`);
  const page = () =>
    fetch(`http://127.0.0.1:${port}/graphiql`).then(
      async (response) => response.text(),
      () => '',
    );
  const showing = (title: string) => until(async () => (await page()).includes(title));

  await showing(TITLE);
  save('Wrong syntax', '\nexport const = 3;\n');
  for (const title of ['First', 'Second', 'Last']) save(title);
  await showing('Last');
  const ended = once(development, 'exit');
  signal('SIGINT');
  await ended;
  await until(async () => (await page()) === '');
});
