import { UNLIMITED } from '../../e2e/service.fixture.js';
import { launchBuiltService, runBuilt, type Finished, type LaunchedService } from '../../e2e/built-service.fixture.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../databases/free-port.fixture.js';
import { createPostgresDatabase, createSqliteDatabase, type TestDatabase } from '../../databases/test-database.fixture.js';

/** The databases that the suite runs on. */
export const DATABASES: readonly (readonly [name: string, create: () => Promise<TestDatabase>])[] = [
  ['SQLite', createSqliteDatabase],
  ['PostgreSQL', createPostgresDatabase],
];

/** Variables of a service that waits for a slow machine's PostgreSQL, where what that takes is not what is looked at. */
export const PATIENT: Readonly<Record<string, string>> = { DATABASE_TIMEOUT_MILLISECONDS: '15000' };

/** A migrated database with a key that is never refused, for a service that is found at one address however often it is started. */
export interface SystemUnderTest {
  readonly origin: string;
  readonly databaseUrl: string;
  readonly key: string;
  /** The working directory. */
  readonly folder: string;
  /** Starts the service; `root` is the folder of a copy of the project to run in its place. */
  launch(root?: string): LaunchedService;
  /** Runs a command of the command line on its database. */
  command(...words: string[]): Promise<Finished>;
  remove(): Promise<void>;
}

export async function createSystem(
  createDatabase: () => Promise<TestDatabase>,
  environment: Readonly<Record<string, string>> = {},
): Promise<SystemUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-reliability-'));
  const database = await createDatabase();
  const port = await findFreePort();
  const variables = { LOG_LEVEL: 'warn', ...environment, DATABASE_URL: database.url, PORT: String(port) };
  const command: SystemUnderTest['command'] = async (...words) => {
    const finished = await runBuilt('cli', words, { cwd: folder, environment: variables });
    if (finished.code !== 0) throw new Error(`${words.join(' ')} ended with ${finished.code}: ${finished.stderr}`);
    return finished;
  };
  await command('db', 'migrate');
  return {
    origin: `http://127.0.0.1:${port}`,
    databaseUrl: database.url,
    key: await issueKey(command),
    folder,
    launch: (root) => launchBuiltService(folder, variables, root),
    command,
    async remove() {
      await database.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function issueKey(command: SystemUnderTest['command']): Promise<string> {
  const { plan, perMinute, perDay } = UNLIMITED;
  const limits = ['--per-minute', String(perMinute), '--per-day', String(perDay)];
  const { stdout } = await command('keys', 'create', '--name', 'reliability', '--plan', plan, '--scopes', 'pets,graphql', ...limits);
  return (JSON.parse(stdout) as { key: string }).key;
}
