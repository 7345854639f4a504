// An acknowledgement does not wait for the disk.
import { PostgresDatabase } from '../../../dist/libs/database/postgres/postgres-database.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(
  PostgresDatabase,
  'transact',
  (transact) =>
    function (work, terms) {
      return transact.call(this, work, { ...terms, durable: false });
    },
);
