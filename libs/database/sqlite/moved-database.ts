import { MOVED } from '../database.errors.js';
import type { WriteTransaction } from '../database.js';
import { identifier, raw, sql } from '../sql.js';

export const MOVED_TABLE = 'moved_to';

/**
 * Marks an SQLite database as transferred: from this transaction on its log takes no event from any process, also one of an earlier build,
 * and no service starts on it.
 * @param place where its content is now, for messages: without user and password
 */
export async function markMoved(transaction: WriteTransaction, place: string): Promise<void> {
  await transaction.query(raw(`CREATE TABLE "${MOVED_TABLE}" ("place" TEXT NOT NULL)`));
  await transaction.query(sql`INSERT INTO ${identifier(MOVED_TABLE)} ("place") VALUES (${place})`);
  await transaction.query(
    raw(`CREATE TRIGGER "events_refuse_moved" BEFORE INSERT ON "events"
         BEGIN SELECT RAISE(ABORT, '${MOVED} to another one: restart the service with its DATABASE_URL'); END`),
  );
}
