import SqliteConnection from 'better-sqlite3';
import { fastify } from 'fastify';
import { animals } from '../fixtures/animals.mjs';

/** The three routes written by hand on better-sqlite3: no keys, no limits, no validation, no log, no events. */
const database = new SqliteConnection(process.env.DATABASE_FILE);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(`CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL, status TEXT);
  CREATE INDEX pets_status ON pets (status, id)`);
const insert = database.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)');
const page = database.prepare(
  'SELECT id, name, category_id AS categoryId, status FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?',
);
const one = database.prepare('SELECT id, name, category_id AS categoryId, status FROM pets WHERE id = ?');
const fill = database.transaction((given) => {
  for (const { name, categoryId, status } of given) insert.run(name, categoryId, status);
});
fill(animals(Number(process.env.ANIMALS)));

const app = fastify();
app.get('/v1/pets', (request) => page.all(request.query.status, Number(request.query.cursor ?? 0), Number(request.query.limit ?? 20)));
app.get('/v1/pets/:id', (request) => one.get(request.params.id));
app.post('/v1/pets', (request, reply) => {
  const { name, categoryId, status } = request.body;
  const { lastInsertRowid } = insert.run(name, categoryId, status);
  reply.code(201);
  return { id: Number(lastInsertRowid), name, categoryId, status };
});
process.send({ origin: await app.listen({ port: 0, host: '127.0.0.1' }) });
