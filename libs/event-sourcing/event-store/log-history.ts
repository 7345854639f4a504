import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter } from 'prom-client';
import { ApplicationError, cliCommand, MetricsRegistry, StartupError } from '#libs/observability';
import { Database, DatabaseUnavailableError, sql } from '#libs/database';
import type { EventRegistry } from './event.js';
import { EventReader, eventsTable } from './read-events.js';
import { countedPosition, newestPosition } from './sequences.js';

const ADVICE = `Restore a backup; "${cliCommand('events verify')}" says more.`;

/** A position that was given out is that of no event any more, or is beyond the end of the log. */
export class LogRewoundError extends ApplicationError {
  override readonly name = 'LogRewoundError';

  /** @param agreesUpTo the position of the last event before it that there is, 0 if there is none */
  constructor(position: bigint, agreesUpTo: bigint) {
    super(
      'log_rewound',
      `There is no event at position ${position}. If one was read there, the log was failed over or restored without it: drop the events ` +
        `after ${agreesUpTo}, and continue with after=${agreesUpTo}.`,
    );
  }
}

/** An event by which the history of a log is known. */
interface LogPoint {
  readonly position: bigint;
  readonly eventId: string;
}

/** Detects that the log has gone back: remembers the newest event that this instance has seen, and checks that it is still there. */
@Injectable()
export class LogHistory implements OnApplicationBootstrap {
  private readonly logger = new Logger('EventStore');
  private readonly listeners: ((newest: bigint) => void)[] = [];
  private readonly rewinds: Counter;
  /** Stays after it is lost until a later history has a higher position. */
  private known: LogPoint | undefined;
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
    this.database.onConnectionReplaced(() => this.lookLater());
    // If it fails, the next one that needs the log looks again.
    await this.look().catch(() => undefined);
  }

  /** The highest position that this instance has seen in the durable log, also in a history that was lost; 0 for none. */
  get highest(): bigint {
    return this.known?.position ?? 0n;
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
    if (position > this.highest) this.known = { position, eventId };
  }

  /**
   * Reads where the log ends, and checks that the newest known event is still there: one statement, four searches in indexes.
   * @returns the position of the newest event, 0 for an empty log
   * @throws DatabaseUnavailableError
   */
  async look(): Promise<bigint> {
    const { known, highest } = this;
    const [found] = await this.database.reader.query<Record<'position' | 'event_id' | 'known_id' | 'before_known', string | bigint | null>>(
      sql`SELECT "position", (SELECT "event_id" FROM ${eventsTable} WHERE ${eventsTable}."position" = "log"."position") AS "event_id",
            (SELECT "event_id" FROM ${eventsTable} WHERE "position" = ${highest}) AS "known_id",
            (SELECT coalesce(max("position"), 0) FROM ${eventsTable} WHERE "position" < ${highest}) AS "before_known"
          FROM (SELECT ${newestPosition} AS "position") AS "log"`,
    );
    const position = BigInt(found?.position ?? 0);
    if (known && found?.known_id !== known.eventId) this.report(known, { newest: position, agreesUpTo: BigInt(found?.before_known ?? 0) });
    if (found?.event_id) this.note({ position, eventId: String(found.event_id) });
    return position;
  }

  /** Looks in the background. */
  lookLater(): void {
    this.look().catch(() => undefined);
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
    if (last !== position) throw new LogRewoundError(position, last);
  }

  private report(lost: LogPoint, { newest, agreesUpTo }: { readonly newest: bigint; readonly agreesUpTo: bigint }): void {
    if (this.reported === lost) return;
    this.reported = lost;
    this.rewinds.inc();
    this.logger.error(
      `The log has gone back: the event at position ${lost.position}, which this instance has seen, is lost. It is as it was up to position ` +
        `${agreesUpTo}, and ends at ${newest} now. Streams of events were ended, and webhooks continue from their stored checkpoints. ` +
        'docs/operate/backup.md says what to do after a failover or a restore.',
    );
    for (const listener of this.listeners) listener(newest);
  }
}

/**
 * Checks the end of the log, which shows first if a file was truncated or joined from two. Its cost does not grow with the log.
 * @throws StartupError if the newest event cannot be read, or is not the one that was counted last.
 */
export async function assertLogIntact({ reader }: Database, registry: EventRegistry): Promise<void> {
  // One statement, since others may append meanwhile.
  const [end] = await reader.query<{ newest: bigint | string; counted: bigint | string }>(
    sql`SELECT ${newestPosition} AS "newest", ${countedPosition} AS "counted"`,
  );
  const newest = BigInt(end?.newest ?? 0);
  const counted = BigInt(end?.counted ?? 0);
  if (newest !== counted) {
    throw new StartupError(`The event log is damaged: it ends at position ${newest}, but the last one given out is ${counted}. ${ADVICE}`);
  }
  try {
    await new EventReader(reader, registry).readAll({ after: newest - 1n });
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The event log is damaged: the event at position ${newest} cannot be read (${reason}). ${ADVICE}`, {
      cause: error,
    });
  }
}
