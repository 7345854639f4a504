// A write is acknowledged 30 ms before it is committed.
import { setTimeout as delay } from 'node:timers/promises';
import { PostgresDatabase } from '../../../dist/libs/database/postgres/postgres-database.js';
import { SqliteDatabase } from '../../../dist/libs/database/sqlite/sqlite-database.js';
import { replaceMethod } from '../system/replace-method.mjs';

for (const Database of [SqliteDatabase, PostgresDatabase]) {
  // A connection to SQLite has one transaction at a time.
  let previous = Promise.resolve();
  const early = (transact) =>
    function (work, terms) {
      return new Promise((resolve, reject) => {
        const acknowledge = async (transaction) => {
          const result = await work(transaction);
          resolve({ result, durable: Promise.resolve() });
          await delay(30);
          return result;
        };
        previous = previous.then(() => transact.call(this, acknowledge, terms)).catch(reject);
      });
    };
  replaceMethod(Database, 'transact', early);
}
