import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { finished, logLines, type Finished } from '../e2e/built-service.fixture.js';
import { createProductionInstall, type ProductionInstall } from './production-install.fixture.js';

const CHECKOUT = {
  name: 'checkout',
  command: 'npm run cli --',
  foreign: /adoption (?:doctor|db|keys|events)|the container/i,
};
const IMAGE = {
  name: 'image',
  command: 'adoption',
  foreign: /npm|\.env/,
};

interface Doctor {
  readonly place: string;
  readonly problems: readonly string[];
}

describe.each([CHECKOUT, IMAGE])('what is advised in the $name', ({ name, command, foreign }) => {
  let install: ProductionInstall | undefined;
  let app: string;
  let folder: string;
  let service: ChildProcessWithoutNullStreams | undefined;
  beforeAll(async () => {
    install = name === 'image' ? await createProductionInstall(undefined) : undefined;
    app = install ? join(install.root, 'app') : resolve('.');
  });
  afterAll(() => install?.remove());
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'adoption-place-'))));
  afterEach(async () => {
    service?.kill('SIGKILL');
    service = undefined;
    await rm(folder, { recursive: true });
  });

  const launch = (program: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [join(app, 'dist', program), ...words], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', MANAGEMENT_PORT: '0', ...environment },
    });
  /** The first line with this member that the service writes into its log. */
  const announced = async (started: ChildProcessWithoutNullStreams, member = 'url') => {
    service = started;
    let output = '';
    started.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    for await (const line of createInterface(started.stdout)) {
      output += `${line}\n`;
      const members = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (member in members) return members;
    }
    throw new Error(output);
  };
  const run = (words: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Finished> =>
    finished(launch('programs/cli.js', words, environment));
  const doctor = async (environment?: Readonly<Record<string, string>>) => {
    const { stdout } = await run(['doctor', '--json'], environment);
    expect(stdout).not.toMatch(foreign);
    return JSON.parse(stdout) as Doctor;
  };

  it('is told by doctor, with a command that can be typed there', async () => {
    const problem = expect.stringContaining(`: start the service once or run "${command} db migrate".`);
    expect(await doctor()).toMatchObject({ place: name, problems: [problem] });
    expect((await run(['db', 'migrate'])).code).toBe(0);
    expect(await doctor()).toMatchObject({ place: name, ok: true, problems: [] });
  });

  it('is a command that can be typed there, where there is no database, or a damaged one', async () => {
    expect((await run(['keys', 'list'])).stderr).toContain(`start the service once or run "${command} db migrate".`);
    await writeFile(join(folder, 'text.sqlite'), 'This is a text and no database. '.repeat(500));
    const { code, stderr } = await finished(launch('programs/main.js', [], { DATABASE_URL: 'sqlite:./text.sqlite' }));
    expect(code).toBe(1);
    expect(logLines(stderr)).toEqual([expect.objectContaining({ msg: expect.stringContaining(`"${command} doctor --full" says more.`) })]);
  });

  it('is a command that can be typed there, on the pages that ask for a key', async () => {
    const { url, console: consolePage } = await announced(launch('programs/main.js', []));
    const origin = new URL(String(url)).origin;
    for (const page of [`${origin}/docs/reference`, `${origin}/graphiql`, String(consolePage)]) {
      expect(await (await fetch(page)).text()).toContain(`${command} keys create --name`);
    }
  });

  it('is a command that can be typed there, where a start in production finds no key', async () => {
    const given = name === 'checkout' ? 'DEPLOYMENT=production ' : '';
    expect(await announced(launch('programs/main.js', [], { DEPLOYMENT: 'production' }), 'command')).toMatchObject({
      level: 40,
      command: `${given}${command} keys create --name NAME --plan free`,
    });
  });
});
