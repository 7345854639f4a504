import { fastify } from 'fastify';
import pg from 'pg';
import { animals } from '../fixtures/animals.mjs';

/** The three routes written by hand on pg: no keys, no limits, no validation, no log, no events. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE ?? 10) });
await pool.query(`CREATE TABLE pets (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL, category_id BIGINT NOT NULL, status TEXT);
  CREATE INDEX pets_status ON pets (status, id)`);
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const given = animals(Number(process.env.ANIMALS));
await pool.query('INSERT INTO pets (name, category_id, status) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])', [
  given.map(({ name }) => name),
  given.map(({ categoryId }) => categoryId),
  given.map(({ status }) => status),
]);
const COLUMNS = 'id, name, category_id AS "categoryId", status';
const page = { name: 'page', text: `SELECT ${COLUMNS} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3` };
const one = { name: 'one', text: `SELECT ${COLUMNS} FROM pets WHERE id = $1` };
const insert = { name: 'insert', text: 'INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING id' };

const app = fastify();
app.get('/v1/pets', async ({ query }) => {
  const { rows } = await pool.query({ ...page, values: [query.status, query.cursor ?? 0, query.limit ?? 20] });
  return rows;
});
app.get('/v1/pets/:id', async ({ params }) => {
  const { rows } = await pool.query({ ...one, values: [params.id] });
  return rows[0];
});
app.post('/v1/pets', async ({ body: { name, categoryId, status } }, reply) => {
  const { rows } = await pool.query({ ...insert, values: [name, categoryId, status] });
  reply.code(201);
  return { id: rows[0].id, name, categoryId, status };
});
process.send({ origin: await app.listen({ port: 0, host: '127.0.0.1' }) });
