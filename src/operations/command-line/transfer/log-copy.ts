import type { Progress } from '#libs/cli-kit';
import type { Database, SqlRunner } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { copyStoredEvents, lastStoredPosition, readStoredEvents } from '#libs/event-store';
import { ROWS_IN_PAGE } from './plain-tables.js';

/**
 * Copies what the source's log holds after a position at which the target's ends. Each transaction leaves a log that is whole, so
 * that an interruption costs nothing.
 * @returns how many events were copied.
 * @throws ApplicationError `service_unavailable` when somebody else writes to the target.
 */
export async function copyLog(source: SqlRunner, target: Database, after: bigint, onProgress: Progress): Promise<bigint> {
  const total = await lastStoredPosition(source);
  let copied = 0n;
  for (let end = after; ;) {
    const events = await readStoredEvents(source, { after: end, limit: ROWS_IN_PAGE });
    const last = events.at(-1);
    if (!last) return copied;
    await target.write(async (transaction) => {
      if ((await lastStoredPosition(transaction)) !== end) {
        throw new ApplicationError(
          'service_unavailable',
          'Something else writes to the target: end it, empty the database, and transfer again.',
        );
      }
      await copyStoredEvents(transaction, events);
    });
    end = BigInt(last.position);
    copied += BigInt(events.length);
    onProgress(end, total);
  }
}
