import SqliteConnection from 'better-sqlite3';
import { schemaOf } from './schema.mjs';

const NAMES = `CREATE VIRTUAL TABLE pet_names USING fts5(name, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram')`;
const COLUMNS = 'id, name, category_id AS categoryId, status';

/** The tables in a new SQLite file. Each change is one durable transaction. */
export class SqliteStore {
  statements = new Map();

  constructor(file) {
    this.database = new SqliteConnection(file);
    this.database.pragma('journal_mode = WAL');
    this.database.pragma('synchronous = FULL');
    this.database.exec(schemaOf({ id: 'INTEGER PRIMARY KEY', int64: 'INTEGER', json: 'TEXT' }) + NAMES);
    for (const name of ['fill', 'add', 'order']) this[name] = this.database.transaction(this[name].bind(this));
  }

  prepare = (text) => this.statements.get(text) ?? this.statements.set(text, this.database.prepare(text)).get(text);
  findKey = (hash) => this.prepare('SELECT id, per_minute AS perMinute FROM keys WHERE hash = ?').get(hash);
  get = (id) => this.prepare(`SELECT ${COLUMNS} FROM pets WHERE id = ?`).get(id);

  fill(animals, hash) {
    this.prepare('INSERT INTO keys VALUES (?, ?, ?)').run('bench', hash, 1_000_000_000);
    for (const animal of animals) this.add(animal, 'bench');
  }

  list({ status = [], categoryId = [], after, limit }) {
    const isAny = (column, { length }) => (length === 0 ? '' : `AND ${column} IN (${'?, '.repeat(length - 1)}?)`);
    const where = `id > ? ${isAny('status', status)} ${isAny('category_id', categoryId)}`;
    return this.prepare(`SELECT ${COLUMNS} FROM pets WHERE ${where} ORDER BY id LIMIT ?`).all(after, ...status, ...categoryId, limit);
  }

  add({ name, categoryId, status }, actor) {
    const insert = this.prepare('INSERT INTO pets (name, category_id, status, added_at, version) VALUES (?, ?, ?, ?, 1)');
    const id = Number(insert.run(name, categoryId, status ?? null, Date.now()).lastInsertRowid);
    this.prepare('INSERT INTO pet_names (rowid, name) VALUES (?, ?)').run(id, name);
    this.append(`pet-${id}`, 1, 'pet-added', JSON.stringify({ name, categoryId, status }), actor);
    return { id, name, categoryId, status };
  }

  order(petId, actor) {
    const take = `UPDATE pets SET status = 'pending', version = version + 1 WHERE id = ? AND status = 'available' RETURNING version`;
    const [pet] = this.prepare(take).all(petId);
    if (pet === undefined) return undefined;
    const insert = this.prepare(`INSERT INTO orders (pet_id, status, placed_at, actor) VALUES (?, 'placed', ?, ?)`);
    const id = Number(insert.run(petId, Date.now(), actor).lastInsertRowid);
    this.append(`pet-${petId}`, pet.version, 'pet-reserved', JSON.stringify({ orderId: id }), actor);
    this.append(`order-${id}`, 1, 'order-placed', JSON.stringify({ petId }), actor);
    return { id, petId, quantity: 1, status: 'placed', version: 1 };
  }

  append(...event) {
    this.prepare('INSERT INTO events (stream, version, type, data, actor, at) VALUES (?, ?, ?, ?, ?, ?)').run(...event, Date.now());
  }
}
