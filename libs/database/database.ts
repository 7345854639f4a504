import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DatabaseUnavailableError, MOVED, readFailure } from './database.errors.js';
import { sql, type Dialect, type RowInsert, type SqlFragment } from './sql.js';

/** Runs statements. Integer columns come back as bigint on SQLite and as string on PostgreSQL: wrap them in `BigInt()` or `Number()`. */
export interface SqlRunner {
  readonly dialect: Dialect;
  /** Of a reader, a column (`columnsFor`): a row with it tells that all that its statement has seen is on disk, without a statement that asks. */
  readonly onDisk?: SqlFragment;
  query<Row extends object>(statement: SqlFragment): Promise<Row[]>;
}

/** Returns the columns of a statement that is run often, with the one that tells a reader what is on disk. */
export function columnsFor({ onDisk }: SqlRunner, columns: SqlFragment): SqlFragment {
  return onDisk ? sql`${columns}, ${onDisk}` : columns;
}

/** An open transaction that may write. Valid until the function it was given to has settled. */
export interface WriteTransaction extends SqlRunner {
  /** Sends a statement whose rows nobody reads, without waiting for it. If it fails, so do later statements and the transaction. */
  execute(statement: SqlFragment): void;
}

/** A write transaction with an EntityManager that is bound to it. */
export interface ManagedTransaction extends WriteTransaction {
  readonly manager: EntityManager;
}

export type TransactionWork<Result> = (transaction: ManagedTransaction) => Result | Promise<Result>;

interface WriteOptions {
  /** False: may be lost with the machine, though not with the process, until a durable write follows. Default true. */
  readonly durable?: boolean;
  /** Until when the write lock must be acquired, in terms of `performance.now()`. Default: `maxWaitMilliseconds` from the call. */
  readonly deadline?: number;
}

export interface TransactionOptions extends Required<WriteOptions> {
  /** To be called when the write lock is acquired. @throws DatabaseUnavailableError after the deadline; nothing may be committed then */
  readonly locked: () => void;
}

/** A transaction whose commit was sent, so that the next one may begin. */
export interface Committing<Result> {
  readonly result: Result;
  /**
   * Resolves when the transaction, and all that it has seen, is on disk. The result must not leave the process before.
   * @throws the error of a statement that has failed; nothing is written then
   * @throws DatabaseUnavailableError, of unknown outcome if that is not found out
   */
  readonly durable: Promise<void>;
}

/** A fault of a database that answers. `corrupt`: its answers may be wrong. `full`: it cannot be written. `moved`: it is another one now. */
export interface DatabaseFault {
  readonly kind: 'corrupt' | 'full' | 'moved';
  readonly reason: string;
}

const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB)/;
/** SQLite's codes of a full disk and of a file that may not grow, and PostgreSQL's SQLSTATE `disk_full`. */
const FULL = /^(?:SQLITE_FULL|SQLITE_IOERR_WRITE|53100)/;

/** A database with a serialized write side and a read-only side. */
export abstract class Database {
  abstract readonly dialect: Dialect;

  /** Longest wait of a write from its arrival until it has the write lock, in all queues together. */
  abstract readonly maxWaitMilliseconds: number;

  /** Reads what is committed and on disk, on connections that cannot write: nothing that it returns can vanish in a crash. */
  abstract readonly reader: SqlRunner;

  protected readonly logger = new Logger('Database');
  private readonly queue = new WriteQueue();
  private readonly lockListeners: ((seconds: number) => void)[] = [];
  private foundFault: DatabaseFault | undefined;

  /**
   * Returns a number that changes with every commit of any process; undefined if asking for it costs as much as a read. Data read after it
   * was taken is valid as long as it stays the same.
   */
  abstract committedChanges(): number | undefined;

  /**
   * Runs `work` in a write transaction of its own, by the manager that is bound to it: what it does there commits when `work` resolves, and is
   * rolled back when it rejects or a statement has failed. The manager fails once the transaction has ended.
   * @throws as `transaction`
   */
  write<Result>(work: (manager: EntityManager) => Result | Promise<Result>, options?: WriteOptions): Promise<Result> {
    return this.transaction(({ manager }) => work(manager), options);
  }

  /**
   * Runs `work` in a write transaction of its own that has the write lock from its start. Commits when it resolves; rolls back when it
   * rejects or one of its statements has failed, even if `work` caught that. Callers are served in order. Durable (fsync) when the promise
   * resolves, unless `options` say otherwise.
   * @throws DatabaseUnavailableError if the lock, the disk or the server is not available in time.
   */
  async transaction<Result>(work: TransactionWork<Result>, options: WriteOptions = {}): Promise<Result> {
    const { result, durable } = await this.commit(work, options);
    await durable;
    return result;
  }

  /**
   * Like `transaction`, but resolves when the commit was sent: the next transaction waits for its end on the server, not here.
   * @throws as `transaction`; the error may be reported at once.
   */
  commit<Result>(work: TransactionWork<Result>, options: WriteOptions = {}): Promise<Committing<Result>> {
    const askedAt = performance.now();
    const { durable = true, deadline = askedAt + this.maxWaitMilliseconds } = options;
    const committing = this.queue.run(deadline, (begin) => {
      const locked = () => {
        begin();
        for (const listener of this.lockListeners) listener((performance.now() - askedAt) / 1_000);
      };
      return this.transact(work, { durable, deadline, locked });
    });
    committing
      .then((sent) => sent.durable)
      .then(
        () => {
          if (this.foundFault?.kind === 'full') this.foundFault = undefined;
        },
        (error: unknown) => this.noteFailure(error),
      );
    return committing;
  }

  /** Damage and a move for as long as the process runs, a full disk until a write succeeds; undefined if nothing is known to be wrong. */
  get fault(): DatabaseFault | undefined {
    return this.foundFault;
  }

  /** Writes something that changes nothing, after which `fault` tells whether there is room. */
  async probeWrite(): Promise<void> {
    await this.transaction((transaction) => transaction.query(this.dialect.noOpWrite)).catch(() => undefined);
  }

  /** Calls `listener` for each write that acquires the write lock, with the seconds it has waited for it, in this process too. */
  onLock(listener: (seconds: number) => void): void {
    this.lockListeners.push(listener);
  }

  /**
   * Calls `listener` when a connection replaces one that has ended: the server may have been failed over, restored or have another
   * clock since. Never called without a server. The listener must neither throw nor wait.
   */
  abstract onConnectionReplaced(listener: () => void): void;

  /** Runs `work` in one consistent read snapshot that may create temporary tables; writers do not wait for it. */
  abstract snapshot<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result>;

  /** Runs one write transaction, when those before it have sent their commits. */
  protected abstract transact<Result>(work: TransactionWork<Result>, terms: TransactionOptions): Promise<Committing<Result>>;

  /** Notes the fault that the error of a statement shows, if it shows one. */
  protected noteFailure(error: unknown): void {
    const { code = '', message: reason } = readFailure(error);
    if (CORRUPT.test(code)) this.noteCorruption(reason);
    else if (reason.startsWith(MOVED)) this.foundFault ??= { kind: 'moved', reason };
    else if (FULL.test(code)) this.foundFault ??= { kind: 'full', reason: `there is no room to write: ${reason}` };
  }

  protected noteCorruption(finding: string): void {
    if (this.foundFault?.kind === 'corrupt') return;
    const reason = `database corrupt: ${finding}`;
    this.foundFault = { kind: 'corrupt', reason };
    this.logger.error(`${reason}. Restore a backup: what is read from it may be wrong.`);
  }
}

/** FIFO queue of this process's writers. */
class WriteQueue {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` after all earlier writers.
   * @param deadline until when it must have called `begin`, in terms of `performance.now()`
   * @throws DatabaseUnavailableError at the deadline if it has not; so does `begin` then
   */
  run<Result>(deadline: number, work: (begin: () => void) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let failure: DatabaseUnavailableError | undefined;
      const timer = setTimeout(() => {
        failure = new DatabaseUnavailableError(new Error('the write lock was not acquired in time'));
        reject(failure);
      }, deadline - performance.now());
      const begin = () => {
        if (failure) throw failure;
        clearTimeout(timer);
      };
      this.last = this.last.then(async () => {
        if (!failure) await work(begin).then(resolve, reject);
        clearTimeout(timer);
      });
    });
  }
}

/**
 * Waits for parts of one transaction that run side by side. All have settled when it settles, so that none sends anything after the end of
 * the transaction.
 * @throws the first error in the order of the parts
 */
export async function pipelined(parts: Iterable<Promise<unknown>>): Promise<void> {
  for (const outcome of await Promise.allSettled(parts)) {
    if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** Inserts rows in order, many with one statement, without waiting for it. */
export function insertRows(transaction: WriteTransaction, insert: RowInsert): void {
  for (const statement of transaction.dialect.insertStatements(insert)) transaction.execute(statement);
}
