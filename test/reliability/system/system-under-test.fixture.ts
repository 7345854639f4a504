import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATIENT_MILLISECONDS } from '#libs/testing';
import { composition } from '../../../src/bootstrap/composition.js';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { findFreePort } from '../../databases/free-port.fixture.js';
import { createPostgresDatabase, createSqliteDatabase, type TestDatabase } from '../../databases/test-database.fixture.js';
import { launchBuiltService, runBuilt, type Finished, type LaunchedService } from '../../e2e/built-service.fixture.js';

/** The databases that the suite runs on. */
export const DATABASES: readonly (readonly [name: string, create: () => Promise<TestDatabase>])[] = [
  ['SQLite', createSqliteDatabase],
  ['PostgreSQL', createPostgresDatabase],
];

// The long soak sends more than a million in its 20 minutes.
const MORE_THAN_IS_SENT = '100000000';

/** Variables of a service that waits for a slow machine's PostgreSQL, where what that takes is not what is looked at. */
export const PATIENT: Readonly<Record<string, string>> = { DATABASE_TIMEOUT_MILLISECONDS: String(PATIENT_MILLISECONDS) };

/**
 * A migrated database with a key of all scopes that is never refused, for a service that is found at one address however often it is started.
 * All of it ends with the test.
 */
export interface SystemUnderTest {
  readonly origin: string;
  readonly databaseUrl: string;
  readonly key: string;
  /** The working directory. */
  readonly folder: string;
  /** Starts the service, with further variables if given. */
  launch(environment?: Readonly<Record<string, string>>): LaunchedService;
  /** Runs a command of the command line on its database. */
  command(...words: string[]): Promise<Finished>;
  /** Removes it before the end of the test. */
  remove(): Promise<void>;
}

export async function createSystem(
  createDatabase: () => Promise<TestDatabase>,
  environment: Readonly<Record<string, string>> = {},
): Promise<SystemUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-reliability-'));
  const removeFolder = closeAtEnd(() => rm(folder, { recursive: true, force: true }));
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
    launch: (further) => launchBuiltService(folder, { ...variables, ...further }),
    command,
    async remove() {
      await database.remove();
      await removeFolder();
    },
  };
}

async function issueKey(command: SystemUnderTest['command']): Promise<string> {
  const scopes = [...composition().scopes.keys()].join();
  const limits = `--per-minute ${MORE_THAN_IS_SENT} --per-day ${MORE_THAN_IS_SENT}`;
  const words = `keys create --name reliability --plan enterprise --scopes ${scopes} ${limits}`.split(' ');
  const { stdout } = await command(...words);
  return (JSON.parse(stdout) as { key: string }).key;
}
