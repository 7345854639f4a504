import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { runHere } from '../../e2e/command-line.fixture.js';
import { ORDERS_TABLE, PETS_TABLE } from '../../e2e/read-model-tables.fixture.js';
import { composition } from '../../../src/bootstrap/composition.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import type { SystemUnderTest } from '../system/system-under-test.fixture.js';
import { bodyOf, orderBodyOf, type FinalState } from './history.js';

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

interface OrderRow {
  readonly id: Integer;
  readonly pet_id: Integer;
  readonly status: string;
  readonly note: string | null;
  readonly placed_at: Integer;
  readonly expires_at: Integer | null;
  readonly version: Integer;
}

/** Looks at what is there, past the service and through it, which has to run. Nothing may be written meanwhile. */
export async function finalStateOf(system: Pick<SystemUnderTest, 'databaseUrl' | 'origin' | 'key'>): Promise<FinalState> {
  const stored = await storedStateOf(system.databaseUrl);
  return {
    ...stored,
    pets: { ...stored.pets, listed: await walkList(system, '/v1/pets') },
    orders: { ...stored.orders, listed: await walkList(system, '/v1/store/orders') },
    problems: await verifyEvents(system.databaseUrl),
  };
}

/** What is in the database, with lists that show all of it. */
export async function storedStateOf(databaseUrl: string): Promise<FinalState> {
  const events = await queryDatabase<EventRow>(
    databaseUrl,
    'SELECT "position", "stream_id" AS "stream", "stream_version" AS "version", "type", "data" FROM "events" ORDER BY "position"',
  );
  const keys = await queryDatabase<KeyRow>(databaseUrl, 'SELECT "key", "first_position", "last_position" FROM "idempotency_keys"');
  const pets = (await queryDatabase<PetRow>(databaseUrl, `SELECT * FROM "${PETS_TABLE}" WHERE "is_withdrawn" = 0 ORDER BY "id"`)).map(
    bodyOfPet,
  );
  const orders = (await queryDatabase<OrderRow>(databaseUrl, `SELECT * FROM "${ORDERS_TABLE}" ORDER BY "id"`)).map(bodyOfOrder);
  return {
    events: events.map((event) => ({ ...event, position: BigInt(event.position), version: BigInt(event.version) })),
    keys: keys.map(({ key, first_position: first, last_position: last }) => ({
      key,
      firstPosition: BigInt(first),
      lastPosition: BigInt(last),
    })),
    pets: { rows: pets, listed: pets },
    orders: { rows: orders, listed: orders },
    problems: [],
  };
}

function bodyOfPet({ id, name, category_id: categoryId, status }: PetRow): string {
  return bodyOf(String(id), { name, categoryId: String(categoryId), ...(status !== null && { status }) });
}

function bodyOfOrder({ id, pet_id: petId, status, note, placed_at: placedAt, expires_at: expiresAt, version }: OrderRow): string {
  const text = (milliseconds: Integer) => new Date(Number(milliseconds)).toISOString();
  return orderBodyOf({
    ...{ id: String(id), petId: String(petId), status, placedAt: text(placedAt), version: BigInt(version) },
    ...(expiresAt !== null && { expiresAt: text(expiresAt) }),
    ...(note !== null && { note }),
  });
}

/** The positions of the events that leave the service, in order; with an endpoint, of those after it was registered. */
export async function publishedPositions(databaseUrl: string, endpoint?: 'endpoint'): Promise<string[]> {
  const types = [...composition().publishedForms.keys()].map((type) => `'${type}'`).join(', ');
  const registered = `(SELECT max("position") FROM "events" WHERE "type" = 'webhook-registered')`;
  const rows = await queryDatabase<{ position: Integer }>(
    databaseUrl,
    `SELECT "position" FROM "events" WHERE "type" IN (${types}) AND "position" > ${endpoint ? registered : 0} ORDER BY "position"`,
  );
  return rows.map(({ position }) => position.toString());
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
export async function verifyEvents(databaseUrl: string): Promise<string[]> {
  const { stdout, stderr } = await runHere({ DATABASE_URL: databaseUrl }, ['events', 'verify']);
  if (!stdout.startsWith('{')) throw new Error(`events verify printed no result: ${stderr}`);
  return (JSON.parse(stdout) as { problems: string[] }).problems;
}

/** Everything that a list holds, such as that of `/v1/pets`, each in the bytes of its page. */
export async function walkList({ origin, key }: Pick<SystemUnderTest, 'origin' | 'key'>, path: string): Promise<string[]> {
  const client = new ApiClient(origin, key);
  const listed: string[] = [];
  for (let target: string | undefined = `${path}?limit=100`; target !== undefined;) {
    const { status, text, headers } = await client.get(target);
    // Not now, it says.
    if (status === 503) continue;
    if (status !== 200) throw new Error(`${target} was answered with ${status}: ${text}`);
    // No name and no note in a history holds a closing and an opening brace around a comma.
    const bodies = text.slice(1, -1).split(/(?<=\}),(?=\{)/);
    listed.push(...bodies.filter(Boolean));
    target = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1];
  }
  client.close();
  return listed;
}
