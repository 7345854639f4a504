import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter } from 'prom-client';
import { ApplicationError, MetricsRegistry } from '#libs/observability';
import { Database, sql } from '#libs/database';
import { eventsTable } from './read-events.js';
import { awaitsNewHistory, newestPosition, type LaterHistory, type LogPoint, type SeenLog } from './sequences.js';

/** A position that was given out is that of no event any more, or is beyond the end of the log. */
export class LogRewoundError extends ApplicationError {
  override readonly name = 'LogRewoundError';

  /**
   * @param agreesUpTo the position of the last event before it that there is, 0 if there is none
   * @param isLost whether the log is known to have gone back
   */
  constructor(position: bigint, agreesUpTo: bigint, isLost: boolean) {
    super(
      'log_rewound',
      isLost
        ? `There is no event at position ${position}: the log was failed over or restored without it. What was read before agrees with it ` +
            `up to position ${agreesUpTo}; drop the later events, and continue with after=${agreesUpTo}.`
        : `Position ${position} is beyond the end of the log, which is at ${agreesUpTo}. If an event was read there, the log was restored ` +
            `without it: drop the events after ${agreesUpTo}. Continue with after=${agreesUpTo}.`,
    );
  }
}

interface Look {
  readonly position: bigint | string;
  readonly event_id: string | null;
  readonly known_id: string | null;
  readonly before_known: bigint | string;
}

/** Detects that the log has gone back: remembers the newest event that this instance has seen, and checks that it is still there. */
@Injectable()
export class LogHistory implements OnApplicationBootstrap {
  private readonly logger = new Logger('EventStore');
  private readonly listeners: ((newest: bigint) => void)[] = [];
  private readonly rewinds: Counter;
  private known: LogPoint | undefined;
  private highest = 0n;
  private reported: LogPoint | undefined;

  constructor(
    private readonly database: Database,
    registry: MetricsRegistry,
  ) {
    this.rewinds = new Counter({
      name: `${registry.prefix}log_rewinds_total`,
      help: 'How often this instance found that the log has lost events that it had seen',
      registers: [registry],
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.database.onConnectionReplaced(() => this.lookLater(this.known));
    // If it fails, the next one that needs the log looks again.
    await this.look().catch(() => undefined);
  }

  /** What this instance has seen of the durable log. */
  get seen(): SeenLog {
    return { newest: this.known, highest: this.highest };
  }

  /**
   * Calls `listener` with the position of the newest event once each time the log has gone back: after a failover to a standby that lacked
   * events, or a restore. It must neither throw nor wait.
   */
  onRewind(listener: (newest: bigint) => void): void {
    this.listeners.push(listener);
  }

  /** Notes an event that is on disk. */
  note({ position, eventId }: LogPoint): void {
    if (this.known === undefined || position > this.known.position) this.known = { position, eventId };
    if (position > this.highest) this.highest = position;
  }

  /**
   * Reads where the log ends, and checks that `known` is still there: one statement, four searches in indexes.
   * @returns the position of the newest event, 0 for an empty log
   * @throws DatabaseUnavailableError
   */
  async look(known = this.known): Promise<bigint> {
    const knownPosition = known?.position ?? 0n;
    const [found] = await this.database.reader.query<Look>(
      sql`SELECT "position", (SELECT "event_id" FROM ${eventsTable} WHERE ${eventsTable}."position" = "log"."position") AS "event_id",
            (SELECT "event_id" FROM ${eventsTable} WHERE "position" = ${knownPosition}) AS "known_id",
            (SELECT coalesce(max("position"), 0) FROM ${eventsTable} WHERE "position" < ${knownPosition}) AS "before_known"
          FROM (SELECT ${newestPosition} AS "position") AS "log"`,
    );
    const position = BigInt(found?.position ?? 0);
    const newest = found?.event_id ? { position, eventId: found.event_id } : undefined;
    if (known && found?.known_id !== known.eventId) this.report(known, { newest, agreesUpTo: BigInt(found?.before_known ?? 0) });
    else if (newest) this.note(newest);
    return position;
  }

  /** Checks in the background that `known` is still there. */
  lookLater(known: LogPoint | undefined): void {
    this.look(known).catch(() => undefined);
  }

  /**
   * Checks a position that a client has kept. Positions have gaps only for lost events.
   * @throws LogRewoundError if no event has this position
   */
  async assertKnown(position: bigint): Promise<void> {
    if (position === 0n) return;
    const [found] = await this.database.reader.query<{ position: bigint | string }>(
      sql`SELECT coalesce(max("position"), 0) AS "position" FROM ${eventsTable} WHERE "position" <= ${position}`,
    );
    const last = BigInt(found?.position ?? 0);
    if (last !== position) throw new LogRewoundError(position, last, await this.hasLost(position));
  }

  /** Whether a position without an event was given out, as far as can be told: this instance saw it, the log goes on after it, or it is a copy. */
  private async hasLost(position: bigint): Promise<boolean> {
    if (position <= this.highest) return true;
    const { reader, dialect } = this.database;
    const [log] = await reader.query<{ newest: bigint | string; is_copy: bigint | number }>(
      sql`SELECT ${newestPosition} AS "newest", CASE WHEN ${awaitsNewHistory(dialect)} THEN 1 ELSE 0 END AS "is_copy"`,
    );
    return log !== undefined && (position <= BigInt(log.newest) || Number(log.is_copy) === 1);
  }

  /** Logs that an append of this instance begins a new history of the log. */
  reportBegun({ from, agreesUpTo }: LaterHistory): void {
    this.logger.warn(
      `A new history of the log begins at position ${from}, after position ${agreesUpTo}: the database was failed over, restored or copied.`,
    );
  }

  private report(lost: LogPoint, { newest, agreesUpTo }: { readonly newest: LogPoint | undefined; readonly agreesUpTo: bigint }): void {
    if (this.reported === lost) return;
    this.reported = lost;
    if (this.known === lost) this.known = newest;
    this.rewinds.inc();
    const end = newest?.position ?? 0n;
    this.logger.error(
      `The log has gone back: the event at position ${lost.position}, which this instance has seen, is lost. It is as it was up to position ` +
        `${agreesUpTo}, and ends at ${end} now. Streams of events were ended, and webhooks continue from their stored checkpoints. ` +
        'docs/backup.md says what to do after a failover or a restore.',
    );
    for (const listener of this.listeners) listener(end);
  }
}
