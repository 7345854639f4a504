import { jest } from '@jest/globals';
import { Database, raw, sql, type SqlFragment } from '#libs/database';
import { projectionTableName } from '#libs/event-sourcing';
import { PetSearchReader } from '../../src/pets/read-model/pet-search.reader.js';
import { petSearchProjection, type PetFilters } from '../../src/pets/read-model/pet-search.projection.js';
import { execute } from '../databases/test-database.fixture.js';
import { startService, type Service } from './service.fixture.js';

const ANIMALS = 1_000_000;
const TABLE = projectionTableName(petSearchProjection, petSearchProjection.table.name);
const FIRST_TIME = Date.UTC(2024, 0, 1);
/** One animal is added a minute. */
const INTERVAL = 60_000;

const minutesLater = (count: number) => new Date(FIRST_TIME + count * INTERVAL);

/** Each alone, and together with others as people do. Statuses turn with ids, categories have 50,000 animals, names "animal 1" and so on. */
const LISTS: readonly [what: string, filters: PetFilters][] = [
  ['all', {}],
  ['many ids', { ids: [5n, 500_000n, 999_999n] }],
  ['a status', { statusIn: ['sold'] }],
  ['several statuses, and none', { statusIn: ['available', 'sold', null] }],
  ['no status', { hasStatus: false }],
  ['any status', { hasStatus: true }],
  ['a category', { categoryIn: [7n] }],
  ['several categories', { categoryIn: [7n, 8n, 9n] }],
  ['a category and a status', { categoryIn: [7n], statusIn: ['sold'] }],
  ['a category and statuses that it has not', { categoryIn: [8n], statusIn: [null] }],
  ['a rare part of a name', { nameContains: 'animal 999999' }],
  ['a frequent part of a name', { nameContains: 'animal' }],
  ['a short part of a name', { nameContains: '99' }],
  ['a part of a name and a status', { nameContains: 'animal 12345', statusIn: ['available'] }],
  ['a late moment on', { addedSince: minutesLater(999_000) }],
  ['a moment on', { addedSince: minutesLater(10) }],
  ['an early moment', { addedBefore: minutesLater(1_000) }],
  ['a day', { addedSince: minutesLater(500_000), addedBefore: minutesLater(501_440) }],
  ['a category from a moment on', { categoryIn: [7n], addedSince: minutesLater(999_000) }],
  ['withdrawn', { withdrawn: true }],
];

/** In PostgreSQL, a scan that filters rows out: if nearly all rows match, a scan stops once it has a page. The catalogue may be scanned. */
const SCAN = { sqlite: new RegExp(`SCAN ${TABLE}`), postgres: new RegExp(`Seq Scan on ${TABLE}.*\\n.*Filter.*\\n *Rows Removed`) };

const ORDERS = [{}, { descending: true }, { orderBy: 'time' }, { orderBy: 'time', descending: true }] as const;

describe('a page of a million animals', () => {
  let service: Service;
  let reader: PetSearchReader;
  let database: Database;

  beforeAll(async () => {
    service = await startService({ polls: false });
    database = service.app.get(Database);
    reader = service.app.get(PetSearchReader);
    await reader.list({ limit: 1, filters: {} });
    await execute(service.backend['DATABASE_URL'] ?? '', rowsOf(database.dialect.name));
  }, 600_000);
  afterAll(() => service.close());
  afterEach(() => jest.restoreAllMocks());

  it.each(LISTS)('with %s is found by an index in every order, and the next one', async (_what, filters) => {
    for (const order of ORDERS) {
      const range = { limit: 20, filters, ...order };
      const statements = await statementsOf(async () => {
        const page = await reader.list(range);
        if (page.next !== undefined) await reader.list({ ...range, after: page.next });
      });
      for (const statement of statements) expect(await plan(statement)).not.toMatch(SCAN[database.dialect.name]);
    }
  });

  it('that would take too many rows is refused, naming what would help', async () => {
    await expect(reader.list({ limit: 20, filters: { nameContains: 'x9' } })).rejects.toMatchObject({
      code: 'invalid_parameter',
      message:
        'This page would take more than 100,000 rows to be read; narrow it by ids, statusIn, hasStatus, categoryIn, addedSince, addedBefore, withdrawn or by other values.',
    });
    await expect(reader.total({ filters: { hasStatus: true } })).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('has a total that is exact where few rows are read for it', async () => {
    expect(await reader.total({ filters: { categoryIn: [7n], statusIn: ['sold'] } })).toBe(ANIMALS / 20);
    expect(await reader.total({ filters: { nameContains: 'animal 12345' } })).toBe(11);
    expect(await reader.total({ filters: { addedSince: minutesLater(999_000) } })).toBe(1_001);
  });

  async function statementsOf(work: () => Promise<void>): Promise<SqlFragment[]> {
    const query = jest.spyOn(database.reader, 'query');
    await work();
    const statements = query.mock.calls.map(([statement]) => statement);
    query.mockRestore();
    return statements;
  }

  async function plan(statement: SqlFragment): Promise<string> {
    const explain = raw(database.dialect.name === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF)');
    const rows = await database.reader.query<Record<string, unknown>>(sql`${explain} ${statement}`);
    return rows.map((row) => String(row['detail'] ?? row['QUERY PLAN'])).join('\n');
  }
});

/** A thousandth of the animals has no status, and one in a million is withdrawn. */
function rowsOf(dialect: Database['dialect']['name']): string {
  const numbers =
    dialect === 'sqlite'
      ? `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ANIMALS})`
      : `WITH numbers AS (SELECT n::bigint FROM generate_series(1, ${ANIMALS}) AS n)`;
  const columns = 'id, name, folded_name, category_id, status, added_at, is_withdrawn, version';
  return `INSERT INTO ${TABLE} (${columns}) ${numbers}
    SELECT n, 'Animal ' || n, 'animal ' || n, n % 20,
      CASE WHEN n % 1000 = 0 THEN NULL WHEN n % 20 = 7 THEN 'sold' WHEN n % 2 = 0 THEN 'available' ELSE 'pending' END,
      ${FIRST_TIME} + n * ${INTERVAL}, CASE WHEN n = 17 THEN 1 ELSE 0 END, 1 FROM numbers${dialect === 'postgres' ? `; ANALYZE ${TABLE}` : ''}`;
}
