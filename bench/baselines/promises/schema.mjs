/** The tables and their indexes, in the types of a database. Times are milliseconds. */
export const schemaOf = ({ id, int64, json }) => `
  CREATE TABLE keys (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, per_minute ${int64} NOT NULL);
  CREATE TABLE events (position ${id}, stream TEXT NOT NULL, version ${int64} NOT NULL, type TEXT NOT NULL, data ${json} NOT NULL,
    actor TEXT NOT NULL, at ${int64} NOT NULL, UNIQUE (stream, version));
  CREATE TABLE pets (id ${id}, name TEXT NOT NULL, category_id ${int64} NOT NULL, status TEXT, added_at ${int64} NOT NULL, version ${int64} NOT NULL);
  CREATE INDEX pets_added ON pets (added_at, id); CREATE INDEX pets_status ON pets (status, id);
  CREATE INDEX pets_category ON pets (category_id, id); CREATE INDEX pets_category_status ON pets (category_id, status, id);
  CREATE TABLE orders (id ${id}, pet_id ${int64} NOT NULL, status TEXT NOT NULL, placed_at ${int64} NOT NULL, actor TEXT NOT NULL);
  CREATE INDEX orders_pet ON orders (pet_id, id); CREATE INDEX orders_actor ON orders (actor, id); CREATE INDEX orders_status ON orders (status, id);`;
