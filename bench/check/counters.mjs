import { createHook } from 'node:async_hooks';
import SqliteConnection from 'better-sqlite3';

/*
 * Counts what the process does from here on: statements that it gives to SQLite, and promises that it makes. Loaded into the service by
 * `--import`; answers any message of the process that started it with the counts so far.
 */
const counts = { statements: 0, promises: 0 };

const connection = new SqliteConnection(':memory:');
countCalls(Object.getPrototypeOf(connection.prepare('SELECT 1')), ['run', 'get', 'all', 'iterate']);
countCalls(SqliteConnection.prototype, ['exec', 'pragma']);
connection.close();

createHook({
  init(id, type) {
    if (type === 'PROMISE') counts.promises += 1;
  },
}).enable();

process.on('message', () => process.send(counts));
// The service ends by itself, as without this.
process.channel.unref();

function countCalls(prototype, methods) {
  for (const method of methods) {
    const original = prototype[method];
    prototype[method] = function (...given) {
      counts.statements += 1;
      return original.apply(this, given);
    };
  }
}
