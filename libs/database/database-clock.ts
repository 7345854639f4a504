import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, SystemClock, TOLERATED_SKEW_MILLISECONDS } from '#libs/observability';
import type { Database } from './database.js';
import { sql } from './sql.js';

const MEASURE_INTERVAL_MILLISECONDS = 60_000;
// Several, since one round trip may be slow by chance.
const SAMPLES = 3;

/** Opens the clock that all processes on a database share: the server's, or for a file the machine's. */
export async function openClock(database: Database): Promise<Clock> {
  if (database.dialect.name !== 'postgres') return new SystemClock();
  const clock = new DatabaseClock(database);
  await clock.measure();
  return clock;
}

/**
 * The clock of a PostgreSQL server, which all instances share. It is measured at the start, whenever a connection replaces another one and
 * once a minute. In between it follows the monotonic clock, so that a step of the machine's clock changes nothing.
 */
class DatabaseClock extends Clock implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Clock');
  /** The server's time minus `performance.now()`, in milliseconds. */
  private offset: number | undefined;
  /** The skew of the last warning; 0 if there was none, or it is over. */
  private warnedSkew = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly database: Database) {
    super();
    database.onConnectionReplaced(() => void this.measureAgain());
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.measureAgain(), MEASURE_INTERVAL_MILLISECONDS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  override now(): Date {
    return new Date(this.milliseconds());
  }

  override get skew(): number {
    return Date.now() - this.milliseconds();
  }

  /**
   * Asks the server for its time. Each answer bounds the offset by the length of its round trip, and the offset moves only as far as
   * necessary, so that a slow answer does not spoil a precise one.
   * @throws DatabaseUnavailableError
   */
  async measure(): Promise<void> {
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const askedAt = performance.now();
      const [row] = await this.database.reader.query<{ time: number }>(
        sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "time"`,
      );
      const answeredAt = performance.now();
      if (!row) continue;
      const [least, most] = [row.time - answeredAt, row.time - askedAt];
      this.offset = Math.min(Math.max(this.offset ?? (least + most) / 2, least), most);
    }
    this.reportSkew();
  }

  /** Measures in the background; a failure is repaired with the next connection, or a minute later. */
  private async measureAgain(): Promise<void> {
    await this.measure().catch(() => undefined);
  }

  private milliseconds(): number {
    if (this.offset === undefined) throw new Error('The clock of the database is read before it was measured.');
    return this.offset + performance.now();
  }

  /** Warns once for each change of the skew by more than the tolerance. */
  private reportSkew(): void {
    const skew = Math.abs(this.skew) > TOLERATED_SKEW_MILLISECONDS ? this.skew : 0;
    if (skew !== 0 && Math.abs(skew - this.warnedSkew) <= TOLERATED_SKEW_MILLISECONDS) return;
    if (skew !== 0) {
      this.logger.warn(`${describeSkew(skew)}. All instances go by the database's clock. Set the clocks of all machines right.`);
    } else if (this.warnedSkew !== 0) {
      this.logger.log('The clocks of this machine and of the database agree again.');
    }
    this.warnedSkew = skew;
  }
}

export function describeSkew(skew: number): string {
  return `This machine's clock is ${(Math.abs(skew) / 1_000).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} the database's`;
}
