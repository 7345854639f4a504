import type { DatabaseLocation } from './database-url.js';
import type { DatabaseEngine } from './engine.js';
import { PostgresEngine } from './postgres/postgres-engine.js';
import { SqliteEngine } from './sqlite/sqlite-engine.js';

export function engineOf(location: DatabaseLocation): DatabaseEngine {
  return location.kind === 'postgres' ? new PostgresEngine(location) : new SqliteEngine(location);
}
