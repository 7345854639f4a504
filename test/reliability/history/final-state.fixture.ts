import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { runBuilt } from '../../e2e/built-service.fixture.js';
import { PETS_TABLE } from '../../e2e/read-model-tables.fixture.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import type { SystemUnderTest } from '../system/system-under-test.fixture.js';
import { bodyOf, type FinalState } from './history.js';

type Integer = bigint | string;

interface EventRow {
  readonly position: Integer;
  readonly stream: string;
  readonly version: Integer;
  readonly type: string;
  readonly data: string;
}

interface KeyRow {
  readonly key: string;
  readonly first_position: Integer;
  readonly last_position: Integer;
}

interface PetRow {
  readonly id: Integer;
  readonly name: string;
  readonly category_id: Integer;
  readonly status: string | null;
}

/** Looks at what is there, past the service and through it, which has to run. Nothing may be written meanwhile. */
export async function finalStateOf(system: Pick<SystemUnderTest, 'databaseUrl' | 'origin' | 'key' | 'folder'>): Promise<FinalState> {
  const stored = await storedStateOf(system.databaseUrl);
  return { ...stored, listed: await walkList(system, '/v1/pets'), problems: await verifyEvents(system.databaseUrl, system.folder) };
}

/** What is in the database. */
export async function storedStateOf(databaseUrl: string): Promise<Pick<FinalState, 'events' | 'keys' | 'rows'>> {
  const events = await queryDatabase<EventRow>(
    databaseUrl,
    'SELECT "position", "stream_id" AS "stream", "stream_version" AS "version", "type", "data" FROM "events" ORDER BY "position"',
  );
  const keys = await queryDatabase<KeyRow>(databaseUrl, 'SELECT "key", "first_position", "last_position" FROM "idempotency_keys"');
  const pets = await queryDatabase<PetRow>(databaseUrl, `SELECT "id", "name", "category_id", "status" FROM "${PETS_TABLE}" ORDER BY "id"`);
  return {
    events: events.map((event) => ({ ...event, position: BigInt(event.position), version: BigInt(event.version) })),
    keys: keys.map(({ key, first_position: first, last_position: last }) => ({
      key,
      firstPosition: BigInt(first),
      lastPosition: BigInt(last),
    })),
    rows: pets.map(({ id, name, category_id: categoryId, status }) =>
      bodyOf(String(id), { name, categoryId: String(categoryId), ...(status !== null && { status }) }),
    ),
  };
}

/** The rows of a query; integers are bigint on SQLite and text on PostgreSQL. */
export async function queryDatabase<Row extends object>(databaseUrl: string, statement: string): Promise<Row[]> {
  if (databaseUrl.startsWith('sqlite:')) {
    const connection = new SqliteConnection(databaseUrl.slice('sqlite:'.length), { readonly: true });
    try {
      return connection.prepare(statement).safeIntegers().all() as Row[];
    } finally {
      connection.close();
    }
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The problems that `events verify` finds. */
export async function verifyEvents(databaseUrl: string, cwd: string): Promise<string[]> {
  const { stdout, stderr } = await runBuilt('cli', ['events', 'verify'], { cwd, environment: { DATABASE_URL: databaseUrl } });
  if (!stdout.startsWith('{')) throw new Error(`events verify printed no result: ${stderr}`);
  return (JSON.parse(stdout) as { problems: string[] }).problems;
}

/** Everything that a list holds, such as that of `/v1/pets`, each in the bytes of its page. */
export async function walkList({ origin, key }: Pick<SystemUnderTest, 'origin' | 'key'>, path: string): Promise<string[]> {
  const client = new ApiClient(origin, key);
  try {
    return await walkPages(client, path);
  } finally {
    client.close();
  }
}

async function walkPages(client: ApiClient, path: string): Promise<string[]> {
  const listed: string[] = [];
  for (let target: string | undefined = `${path}?limit=100`; target !== undefined;) {
    const { status, text, headers } = await client.get(target);
    // Not now, it says.
    if (status === 503) continue;
    if (status !== 200) throw new Error(`${target} was answered with ${status}: ${text}`);
    // No name and no note in a history holds a closing and an opening brace around a comma.
    listed.push(
      ...text
        .slice(1, -1)
        .split(/(?<=\}),(?=\{)/)
        .filter(Boolean),
    );
    target = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1];
  }
  return listed;
}
