import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PATIENT_MILLISECONDS } from '#libs/testing';
import { composition } from '../../../src/bootstrap/composition.js';
import { makeTemporaryFolder } from '../../cleanup/temporary-folder.js';
import { findFreePort } from '../../databases/free-port.fixture.js';
import { findPostgresPrograms } from '../../databases/own-postgres.fixture.js';
import { createPostgresDatabase, createSqliteDatabase, type TestDatabase } from '../../databases/test-database.fixture.js';
import { launchBuiltService, type BuiltService, type Finished, type LaunchedService } from '../../e2e/built-service.fixture.js';
import { runHere } from '../../e2e/command-line.fixture.js';
import { SEED } from './run-form.js';

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
  /** Starts the service, with further variables and on another host if given. */
  launch(environment?: Readonly<Record<string, string>>, enter?: readonly string[]): LaunchedService;
  /** Starts another instance beside it. */
  launchBeside(environment?: Readonly<Record<string, string>>, enter?: readonly string[]): LaunchedService;
  /** Runs a command of the command line on its database, in this process. */
  command(...words: string[]): Promise<Finished>;
  /** All that the services which it has launched have printed. */
  logs(): string;
}

/** What a service says of itself. */
export interface Readiness {
  readonly isReady: boolean;
  /** Whether no part of it is worse off than it could be. */
  readonly isWhole: boolean;
  readonly parts: Readonly<Record<string, { readonly state: string; readonly detail?: string }>>;
}

const ARTIFACTS = 'reports/artifacts';
const SQLITE_FILES = ['', '-wal', '-shm'];

export async function createSystem(
  createDatabase: () => Promise<Pick<TestDatabase, 'url'>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<SystemUnderTest> {
  const folder = makeTemporaryFolder('reliability');
  const { url } = await createDatabase();
  const port = await findFreePort();
  const variables = { LOG_LEVEL: 'warn', ...environment, DATABASE_URL: url, PORT: String(port) };
  const command: SystemUnderTest['command'] = async (...words) => {
    const finished = await runHere(variables, words);
    if (finished.code !== 0) throw new Error(`${words.join(' ')} ended with ${finished.code}: ${finished.stderr}`);
    return finished;
  };
  await command('db', 'migrate');
  const launched: LaunchedService[] = [];
  const launch: SystemUnderTest['launch'] = (further, enter) => {
    const service = launchBuiltService(folder, { ...variables, ...further }, '.', enter);
    launched.push(service);
    return service;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    databaseUrl: url,
    key: await issueKey(command),
    folder,
    launch,
    launchBeside: (further, enter) => launch({ PORT: '0', ...further }, enter),
    command,
    logs: () => launched.map((service) => service.output()).join('\n'),
  };
}

export async function readinessOf({ management }: Pick<BuiltService, 'management'>): Promise<Readiness> {
  const answer = await fetch(`${management}/health/ready`);
  const { parts } = (await answer.json()) as Pick<Readiness, 'parts'>;
  const isWhole = Object.values(parts).every(({ state }) => state === 'ready');
  return { isReady: answer.status === 200, isWhole, parts };
}

async function issueKey(command: SystemUnderTest['command']): Promise<string> {
  const scopes = [...composition().scopes.keys()].join();
  const limits = `--per-minute ${MORE_THAN_IS_SENT} --per-day ${MORE_THAN_IS_SENT}`;
  const words = `keys create --name reliability --plan enterprise --scopes ${scopes} ${limits}`.split(' ');
  const { stdout } = await command(...words);
  return (JSON.parse(stdout) as { key: string }).key;
}

/**
 * Fails if there is a violation, after it has kept what tells how it came about: the database, the logs and what clients saw.
 * @throws Error that names the violations, the seed and the folder
 */
export function expectNoViolations(
  name: string,
  violations: readonly string[],
  { databaseUrl, logs = () => '' }: Pick<SystemUnderTest, 'databaseUrl'> & Partial<Pick<SystemUnderTest, 'logs'>>,
  history: unknown,
): void {
  if (violations.length === 0) return;
  const folder = join(ARTIFACTS, `${name.replaceAll(/\W+/g, '-')}-${SEED}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.log'), logs());
  writeFileSync(
    join(folder, 'history.json'),
    JSON.stringify(history, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value), 2),
  );
  copyDatabase(databaseUrl, join(folder, 'database'));
  throw new Error(`${violations.join('\n')}\nSeed ${SEED}. The database, the logs and the history are in ${folder}.`);
}

/** Copies a SQLite database with the files beside it, or dumps that of a PostgreSQL server. */
function copyDatabase(databaseUrl: string, to: string): void {
  if (!databaseUrl.startsWith('sqlite:')) {
    execFileSync(join(findPostgresPrograms(), 'pg_dump'), ['--format=custom', `--file=${to}`, databaseUrl]);
    return;
  }
  const file = databaseUrl.slice('sqlite:'.length);
  for (const suffix of SQLITE_FILES) if (existsSync(file + suffix)) copyFileSync(file + suffix, to + suffix);
}
