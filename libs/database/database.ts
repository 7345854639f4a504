import { Logger } from '@nestjs/common';
import { DatabaseUnavailableError } from './database.errors.js';
import type { Dialect, SqlFragment } from './sql.js';

/** Runs statements. Integer columns come back as bigint on SQLite and as string on PostgreSQL: wrap them in `BigInt()` or `Number()`. */
export interface SqlRunner {
  readonly dialect: Dialect;
  query<Row extends object>(statement: SqlFragment): Promise<Row[]>;
}

/** The one open write transaction. Valid until the function it was given to has settled. */
export type WriteTransaction = SqlRunner;

export interface WriteOptions {
  /**
   * False for what can be made again: it may be lost with the machine, though not with the process, until a durable write follows.
   * True when left out.
   */
  readonly durable?: boolean;
  /**
   * Until when the write lock must be had, on the time line of `performance.now()`: for who has waited elsewhere already. The
   * patience of the database from the call when left out.
   */
  readonly deadline?: number;
}

/** What a transaction is run with. */
export interface TransactionTerms extends Required<WriteOptions> {
  /** Called when the write lock is had. */
  readonly locked: () => void;
}

/** A transaction that has come to its end: others see what it did and may build on it. */
export interface Committed<Result> {
  readonly result: Result;
  /**
   * Resolves when what it did is on disk, and all that it had seen. Nobody may be told the result before.
   * @throws DatabaseUnavailableError of unknown outcome when that is not found out.
   */
  readonly durable: Promise<void>;
}

/** The database as the rest of the service sees it: a serialized write side and a read-only side. */
export abstract class Database {
  abstract readonly dialect: Dialect;

  /** How many milliseconds a write waits at most from its arrival until it has the write lock, in all queues together. */
  abstract readonly patience: number;

  protected readonly faults = new DatabaseFaults();
  private readonly turns = new WriteTurns();
  private readonly lockListeners: ((seconds: number) => void)[] = [];

  /** Reads what is committed and on disk, on connections that cannot write: nothing that it gave can vanish in a crash. */
  abstract readonly reader: SqlRunner;

  /**
   * A number that changes whenever anything was committed, by whatever process; undefined where asking for it costs as much as a
   * read. What was read after it was taken holds for as long as it stays.
   */
  abstract committedChanges(): number | undefined;

  /**
   * Runs `work` alone in a write transaction that has the write lock from its start; commits when it resolves and rolls back when it
   * rejects, or when one of its statements failed, also where `work` caught that. Callers are served in order. Durable (fsync) when
   * the promise resolves, unless `options` leave that open.
   * @throws DatabaseUnavailableError when the lock, the disk or the server cannot be had in time.
   */
  async write<Result>(work: (transaction: WriteTransaction) => Promise<Result>, options: WriteOptions = {}): Promise<Result> {
    const { result, durable } = await this.commit(work, options);
    await durable;
    return result;
  }

  /**
   * The same for who can use the time until the transaction is on disk: resolves when it is committed, and the next caller has its turn.
   * @throws as `write` does; what it throws may be told.
   */
  commit<Result>(work: (transaction: WriteTransaction) => Promise<Result>, options: WriteOptions = {}): Promise<Committed<Result>> {
    const askedAt = performance.now();
    const { durable = true, deadline = askedAt + this.patience } = options;
    const locked = () => {
      for (const listener of this.lockListeners) listener((performance.now() - askedAt) / 1_000);
    };
    const committed = this.turns.take(deadline, () => this.transact(work, { durable, deadline, locked }));
    committed.then(
      () => this.faults.noteWrite(),
      (error: unknown) => this.faults.noteFailure(error),
    );
    return committed;
  }

  /** What is wrong with the database, as far as statements and a look at its file have shown; undefined where nothing is known to be. */
  get fault(): DatabaseFault | undefined {
    return this.faults.current;
  }

  /** Writes something that changes nothing, after which `fault` tells whether there is room. */
  async tryToWrite(): Promise<void> {
    await this.write((transaction) => transaction.query(this.dialect.changesNothing)).catch(() => undefined);
  }

  /** Has `listener` told, for each write that gets the write lock, how many seconds it has waited for it, its turn in this process included. */
  onLock(listener: (seconds: number) => void): void {
    this.lockListeners.push(listener);
  }

  /**
   * Calls `listener` whenever a connection replaces one that has ended: the server may have been failed over, restored or have another
   * clock since. Never called where there is no server. The listener must neither throw nor wait.
   */
  abstract onConnectionReplaced(listener: () => void): void;

  /** Runs `work` in one consistent read snapshot that may create temporary tables; writers are not held up. */
  abstract snapshot<Result>(work: (runner: SqlRunner) => Promise<Result>): Promise<Result>;

  /** One write transaction, while no other of this process runs. */
  protected abstract transact<Result>(
    work: (transaction: WriteTransaction) => Promise<Result>,
    options: TransactionTerms,
  ): Promise<Committed<Result>>;
}

/** The writers of this process, one after another in the order of their coming. */
class WriteTurns {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` when all that was taken before has settled.
   * @param deadline until when its turn must have come, on the time line of `performance.now()`
   * @throws DatabaseUnavailableError at the deadline where it has not; `work` is never run then.
   */
  take<Result>(deadline: number, work: () => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new DatabaseUnavailableError(new Error('the writers before took too long')));
      }, deadline - performance.now());
      this.last = this.last.then(() => {
        clearTimeout(timer);
        return isLate ? undefined : work().then(resolve, reject);
      });
    });
  }
}

/** What is wrong with a database though it answers. `corrupt`: what it answers may be wrong. `full`: it cannot be written. */
export interface DatabaseFault {
  readonly kind: 'corrupt' | 'full';
  readonly reason: string;
}

const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB)/;
/** SQLite's codes of a disk without room and of a file that may not grow, and PostgreSQL's SQLSTATE `disk_full`. */
const FULL = /^(?:SQLITE_FULL|SQLITE_IOERR_WRITE|53100)/;

/** Remembers what is wrong with a database: damage for as long as the process runs, a full disk until something was written. */
export class DatabaseFaults {
  private readonly logger = new Logger('Database');
  private found: DatabaseFault | undefined;

  get current(): DatabaseFault | undefined {
    return this.found;
  }

  /** A statement or a write has failed with this error. */
  noteFailure(error: unknown): void {
    const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const code = String(typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : '');
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (CORRUPT.test(code)) this.noteCorruption(reason);
    else if (FULL.test(code) && !this.found) this.found = { kind: 'full', reason: `there is no room to write: ${reason}` };
  }

  noteWrite(): void {
    if (this.found?.kind === 'full') this.found = undefined;
  }

  noteCorruption(finding: string): void {
    if (this.found?.kind === 'corrupt') return;
    const reason = `database corrupt: ${finding}`;
    this.found = { kind: 'corrupt', reason };
    this.logger.error(`${reason}. Restore a backup: what is read from it may be wrong.`);
  }
}

/**
 * Waits for statements of one transaction that do not need each other's answers, and so are sent without waiting in between: in the
 * order of the calls that gave these promises, in one round trip where the connection takes them so. All have settled when it
 * does, so none is left to run after the transaction has ended.
 * @throws the first error in that order
 */
export async function pipelined(statements: Iterable<Promise<unknown>>): Promise<void> {
  for (const outcome of await Promise.allSettled(statements)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}
