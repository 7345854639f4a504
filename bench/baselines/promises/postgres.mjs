import pg from 'pg';
import { schemaOf } from './schema.mjs';

const NAMES = 'CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE INDEX pets_name ON pets USING gin (name gin_trgm_ops);';
const COLUMNS = 'id, name, category_id AS "categoryId", status';
const FILL = `INSERT INTO pets (name, category_id, status, added_at, version) SELECT *, $4, 1 FROM unnest($1::text[], $2::bigint[], $3::text[])`;
const FILL_LOG = `INSERT INTO events (stream, version, type, data, actor, at) SELECT 'pet-' || id, 1, 'pet-added', to_jsonb(pets), 'bench', added_at FROM pets`;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** A statement with a name is prepared once a connection; the text would be too long for one. */
const names = new Map();
const nameOf = (text) => names.get(text) ?? names.set(text, `statement-${names.size}`).get(text);
const run = async (client, text, values) => (await client.query({ name: nameOf(text), text, values })).rows;
const append = (client, ...event) =>
  run(client, 'INSERT INTO events (stream, version, type, data, actor, at) VALUES ($1, $2, $3, $4, $5, $6)', [...event, Date.now()]);

/** The tables in an empty PostgreSQL database. Each change is one durable transaction. */
export class PostgresStore {
  constructor(url) {
    this.pool = new pg.Pool({ connectionString: url, max: 10 });
  }

  findKey = async (hash) => (await run(this.pool, 'SELECT id, per_minute AS "perMinute" FROM keys WHERE hash = $1', [hash]))[0];
  get = async (id) => (await run(this.pool, `SELECT ${COLUMNS} FROM pets WHERE id = $1`, [id]))[0];

  async fill(animals, hash) {
    const id = 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY';
    await this.pool.query(schemaOf({ id, int64: 'BIGINT', json: 'JSONB' }) + NAMES);
    await this.pool.query('INSERT INTO keys VALUES ($1, $2, $3)', ['bench', hash, 1_000_000_000]);
    const columns = ['name', 'categoryId', 'status'].map((column) => animals.map((animal) => animal[column]));
    await this.pool.query(FILL, [...columns, Date.now()]);
    await this.pool.query(FILL_LOG);
    await this.pool.query('ANALYZE');
  }

  list({ status = [], categoryId = [], after, limit }) {
    const values = [after, limit];
    const isAny = (column, type, given) => {
      if (given.length === 0) return '';
      return given.length === 1 ? `AND ${column} = $${values.push(given[0])}` : `AND ${column} = ANY ($${values.push(given)}::${type}[])`;
    };
    const where = `id > $1 ${isAny('status', 'text', status)} ${isAny('category_id', 'bigint', categoryId)}`;
    return run(this.pool, `SELECT ${COLUMNS} FROM pets WHERE ${where} ORDER BY id LIMIT $2`, values);
  }

  add({ name, categoryId, status }, actor) {
    return this.inTransaction(async (client) => {
      const insert = 'INSERT INTO pets (name, category_id, status, added_at, version) VALUES ($1, $2, $3, $4, 1) RETURNING id';
      const [{ id }] = await run(client, insert, [name, categoryId, status, Date.now()]);
      await append(client, `pet-${id}`, 1, 'pet-added', { name, categoryId, status }, actor);
      return { id, name, categoryId, status };
    });
  }

  order(petId, actor) {
    return this.inTransaction(async (client) => {
      const take = `UPDATE pets SET status = 'pending', version = version + 1 WHERE id = $1 AND status = 'available' RETURNING version`;
      const [pet] = await run(client, take, [petId]);
      if (pet === undefined) return undefined;
      const insert = `INSERT INTO orders (pet_id, status, placed_at, actor) VALUES ($1, 'placed', $2, $3) RETURNING id`;
      const [{ id }] = await run(client, insert, [petId, Date.now(), actor]);
      await append(client, `pet-${petId}`, pet.version, 'pet-reserved', { orderId: id }, actor);
      await append(client, `order-${id}`, 1, 'order-placed', { petId }, actor);
      return { id, petId, quantity: 1, status: 'placed', version: 1 };
    });
  }

  async inTransaction(work) {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }
}
