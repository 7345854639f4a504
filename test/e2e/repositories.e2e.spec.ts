import { getDataSourceToken } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { Database } from '#libs/database';
import { composition } from '../../src/bootstrap/composition.js';
import { ImportedRow } from '../../src/pets/import/import.entity.js';
import { PetRow } from '../../src/pets/read-model/pet.entity.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const LARGEST = 9_223_372_036_854_775_807n;
const SEEN = new Date('2026-06-01T12:00:00.007Z');
const aRow = (row: string) => ({ batch: 'shelters', row, seenAt: SEEN });

describe('repositories of TypeORM', () => {
  let service: GraphqlService;
  let database: Database;
  let source: DataSource;
  beforeAll(async () => {
    service = await startGraphqlService();
    database = service.app.get(Database);
    source = service.app.get<DataSource>(getDataSourceToken());
  });
  afterAll(() => service.close());
  beforeEach(() => database.write((manager) => manager.deleteAll(ImportedRow)));

  const batches = async () => (await source.getRepository(ImportedRow).find({ order: { row: 'ASC' } })).map(({ row }) => row);

  it('read the tables of projections and others, with all digits, times and absent values', async () => {
    await service.client.post('/v1/pets', `{"name":"Rex","categoryId":${LARGEST}}`);
    await service.client.post('/v1/pets', '{"name":"Mia","categoryId":-5,"status":"sold"}');
    const pets = source.getRepository(PetRow);
    expect(await pets.findOneByOrFail({ categoryId: In([LARGEST]) })).toMatchObject({
      id: 1n,
      name: 'Rex',
      categoryId: LARGEST,
      version: 1,
    });
    expect((await pets.findBy({ status: 'sold' })).map(({ name, addedAt }) => [name, addedAt])).toEqual([['Mia', service.clock.now()]]);
    expect(await pets.createQueryBuilder('pet').where('pet.categoryId < :limit', { limit: 0 }).getCount()).toBe(1);
    await database.write((manager) => manager.insert(ImportedRow, aRow('first')));
    expect(await source.getRepository(ImportedRow).find()).toEqual([expect.objectContaining(aRow('first'))]);
  });

  it.each<[string, (manager: EntityManager) => Promise<unknown>]>([
    ['save', (manager) => manager.getRepository(ImportedRow).save(aRow('second'))],
    ['insert', (manager) => manager.insert(ImportedRow, aRow('second'))],
    ['update', (manager) => manager.update(ImportedRow, { row: 'first' }, { batch: 'other' })],
    ['delete', (manager) => manager.delete(ImportedRow, { row: 'first' })],
    ['remove', async (manager) => manager.remove(await manager.findOneByOrFail(ImportedRow, { row: 'first' }))],
    ['a transaction', (manager) => manager.transaction(async () => undefined)],
  ])('refuse to write: %s', async (_name, write) => {
    await database.write((manager) => manager.insert(ImportedRow, aRow('first')));
    await expect(write(source.manager)).rejects.toThrow('write with database.write((manager) => …)');
    expect(await batches()).toEqual(['first']);
  });

  it('write with the transaction or not at all, also what one inside of it keeps', async () => {
    const failure = new Error('no');
    const rolledBack = database.write(async (manager) => {
      await manager.save(ImportedRow, aRow('first'));
      throw failure;
    });
    await expect(rolledBack).rejects.toBe(failure);
    expect(await batches()).toEqual([]);
    await database.write(async (manager) => {
      await manager.save(ImportedRow, aRow('first'));
      const inner = manager.transaction(async (nested) => {
        await nested.save(ImportedRow, aRow('second'));
        throw failure;
      });
      await expect(inner).rejects.toBe(failure);
      await manager.getRepository(ImportedRow).save(aRow('third'));
    });
    expect(await batches()).toEqual(['first', 'third']);
  });

  it('write nothing if a statement has failed, even if that was caught', async () => {
    const work = database.write(async (manager) => {
      await manager.insert(ImportedRow, aRow('first'));
      await manager.insert(ImportedRow, aRow('first')).catch(() => undefined);
    });
    await expect(work).rejects.toThrow(/unique|UNIQUE|duplicate/);
    expect(await batches()).toEqual([]);
  });

  it('cannot write outside of their transaction, nor in that of another', async () => {
    let kept: EntityManager | undefined;
    await database.write((manager) => void (kept = manager));
    await expect(kept?.insert(ImportedRow, aRow('late'))).rejects.toThrow(/released/);
    const other = database.write(async (manager) => {
      await manager.insert(ImportedRow, aRow('first'));
      await expect(kept?.save(ImportedRow, aRow('late'))).rejects.toThrow(/released/);
      throw new Error('rolled back');
    });
    await expect(other).rejects.toThrow('rolled back');
    const forgetful = database.write((manager) => {
      void manager.query(`INSERT INTO "import_rows" ("batch", "row", "seen_at") VALUES ('shelters', 'forgotten', 1)`);
      throw new Error('rolled back too');
    });
    await expect(forgetful).rejects.toThrow('rolled back too');
    const [one, two] = [aRow('one'), aRow('two')].map((row) => database.write((manager) => manager.save(ImportedRow, row)));
    await Promise.all([one, two]);
    expect(await batches()).toEqual(['one', 'two']);
  });

  it('declare the tables that migrations have made', async () => {
    const rebuilt = new Set(composition().projections.flatMap(({ tables }) => tables.map(({ name }) => name)));
    const entities = source.entityMetadatas.filter(({ givenTableName }) => !rebuilt.has(givenTableName ?? '')).map(({ target }) => target);
    // TypeORM compares numbers that SQLite tells of columns, so it must not get them as bigint.
    const plain = await new DataSource({
      ...source.options,
      ...{ entities, subscribers: [], prepareDatabase: () => undefined },
    }).initialize();
    if (plain.driver.options.type !== 'postgres') await expectWhatSqliteTells(plain);
    const { upQueries } = await plain.driver.createSchemaBuilder().log();
    await plain.destroy();
    expect(entities.length).toBeGreaterThan(1);
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });
});

/** SQLite makes only a column of exactly INTEGER the row id itself, so an int64 is one; and a primary key may be without NOT NULL. */
async function expectWhatSqliteTells(source: DataSource): Promise<void> {
  const { driver } = source;
  const normalize = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => (column.type === 'bigint' ? 'integer' : normalize(column));
  for (const { tableName, primaryColumns } of source.entityMetadatas) {
    const found = await source.query<{ name: string }[]>('SELECT "name" FROM pragma_table_info(?) WHERE "notnull" = 0', [tableName]);
    for (const column of primaryColumns) column.isNullable = found.some(({ name }) => name === column.databaseName);
  }
}
