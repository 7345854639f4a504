import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, SystemClock, TOLERATED_SKEW_MILLISECONDS } from '#libs/clock';
import type { Database } from './database.js';
import { sql } from './sql.js';

const MEASURE_INTERVAL_MILLISECONDS = 60_000;
// The shortest round trip of several counts: one may be slow by chance.
const SAMPLES = 3;

/** Opens the clock that all processes on a database share: the server's or, on a file, the machine's own. */
export async function openClock(database: Database): Promise<Clock> {
  if (database.dialect.name !== 'postgres') return new SystemClock();
  const clock = new DatabaseClock(database);
  await clock.measure();
  return clock;
}

/**
 * The clock of a PostgreSQL server, which all instances have in common. It is measured at the start, with every connection that replaces
 * another and once a minute, and is carried on by the monotonic clock between: a step of the machine's clock changes nothing.
 */
export class DatabaseClock extends Clock implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Clock');
  /** The server's time minus `performance.now()`, in milliseconds. */
  private offset: number | undefined;
  /** The skew that was last warned of; 0 if there was none, or it is over. */
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
   * Asks the server for its time. Each answer bounds the offset by the length of its round trip, and the offset moves no further than
   * that demands: a slow answer takes nothing from a precise one before it.
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

  /** What cannot be measured now is measured with the next connection, or a minute later. */
  private async measureAgain(): Promise<void> {
    await this.measure().catch(() => undefined);
  }

  private milliseconds(): number {
    if (this.offset === undefined) throw new Error('The clock of the database is read before it was measured.');
    return this.offset + performance.now();
  }

  /** Warns once for each change of the skew by more than is tolerated. */
  private reportSkew(): void {
    const { skew } = this;
    const isTolerated = Math.abs(skew) <= TOLERATED_SKEW_MILLISECONDS;
    if (isTolerated && this.warnedSkew !== 0) this.logger.log('The clocks of this machine and of the database agree again.');
    if (!isTolerated && Math.abs(skew - this.warnedSkew) > TOLERATED_SKEW_MILLISECONDS) {
      this.logger.warn(`${describeSkew(skew)}. All instances go by the database's clock. Set the clocks of all machines right.`);
      this.warnedSkew = skew;
    }
    if (isTolerated) this.warnedSkew = 0;
  }
}

/** Says by how much the machine's clock is ahead of the database's, or behind it. */
export function describeSkew(skew: number): string {
  return `This machine's clock is ${(Math.abs(skew) / 1_000).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} the database's`;
}
