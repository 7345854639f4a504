import type { Progress } from '#libs/cli-kit';
import type { SqlRunner } from '#libs/database';
import { lastStoredPosition, readStoredEvents, type StoredEvent } from '#libs/event-store';
import { haveEqualValues, ROWS_IN_PAGE } from './plain-tables.js';

/** How one log begins as another does. */
export interface LogComparison {
  /** `beginning`: all it holds stands in the other too, which goes on; `longer`: it goes on where the other ends. */
  readonly outcome: 'equal' | 'beginning' | 'longer' | 'different';
  /** How many events, from the first, are equal in every column. */
  readonly equalEvents: bigint;
  /** The position of the last of them, 0 where there is none. */
  readonly equalUpTo: bigint;
}

/** Compares two logs event by event, as they are stored. */
export async function compareLogs(of: SqlRunner, withLog: SqlRunner, onProgress: Progress): Promise<LogComparison> {
  const total = await lastStoredPosition(of);
  let equalEvents = 0n;
  let equalUpTo = 0n;
  for (;;) {
    const page = { after: equalUpTo, limit: ROWS_IN_PAGE };
    const [found, expected] = await Promise.all([readStoredEvents(of, page), readStoredEvents(withLog, page)]);
    const different = found.findIndex((event, index) => !isSame(event, expected[index]));
    const equal = different < 0 ? found : found.slice(0, different);
    equalEvents += BigInt(equal.length);
    equalUpTo = BigInt(equal.at(-1)?.position ?? equalUpTo);
    if (different >= 0) return { outcome: different < expected.length ? 'different' : 'longer', equalEvents, equalUpTo };
    if (found.length < expected.length) return { outcome: 'beginning', equalEvents, equalUpTo };
    if (found.length === 0) return { outcome: 'equal', equalEvents, equalUpTo };
    onProgress(equalUpTo, total);
  }
}

function isSame(event: StoredEvent, other: StoredEvent | undefined): boolean {
  return other !== undefined && haveEqualValues(Object.values(event), Object.values(other));
}
