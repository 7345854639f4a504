import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { translateDatabaseError } from '../database.errors.js';
import type { ManagedTransaction, TransactionWork } from '../database.js';
import type { Dialect, SqlFragment } from '../sql.js';

/** Sends a statement to the database at once. */
type Send = <Row extends object>(statement: SqlFragment) => Row[] | Promise<Row[]>;

/** Runs the statements of one transaction. Each one after a failed one fails with its error, whichever way it is sent. */
export class TransactionRunner implements ManagedTransaction {
  private failure: { readonly error: unknown } | undefined;
  private bound: QueryRunner | undefined;
  /** Statements of the manager without an answer yet, awaited by the caller or not. */
  private readonly unanswered = new Set<Promise<unknown>>();
  /** Settles when all that was executed is answered, since a database answers in order. */
  private executed: Promise<unknown> = Promise.resolve();

  /** @param connection that of the transaction, where the data source has more than one */
  constructor(
    readonly dialect: Dialect,
    private readonly send: Send,
    private readonly source: DataSource,
    private readonly connection?: object,
  ) {}

  /** @throws the error of the first statement that failed, if one did: nothing is sent after it. */
  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    this.assertNoFailure();
    try {
      return await this.send<Row>(statement);
    } catch (error) {
      throw this.failWith(error);
    }
  }

  execute(statement: SqlFragment): void {
    this.executed = this.query(statement).catch(() => undefined);
  }

  /**
   * Waits for the answers to the executed statements.
   * @throws the first error, if there was one
   */
  async answered(): Promise<void> {
    await this.executed;
    this.assertNoFailure();
  }

  /** Its statements run in this transaction, and nowhere else: each fails once the transaction has ended. */
  get manager(): EntityManager {
    this.bound ??= this.bindRunner();
    return this.bound.manager;
  }

  /** Does the work of the transaction. When it settles, nothing of it is sent by the manager any more. */
  async perform<Result>(work: TransactionWork<Result>): Promise<Result> {
    try {
      return await work(this);
    } finally {
      if (this.bound) Object.assign(this.bound, { isReleased: true });
      await Promise.allSettled(this.unanswered);
    }
  }

  /** @throws the error of the first statement that failed, if one did */
  assertNoFailure(): void {
    if (this.failure) throw this.failure.error;
  }

  /** Returns the first error of the transaction: later ones only say that there was one. */
  failWith(error: unknown): unknown {
    this.failure ??= { error: translateDatabaseError(error) };
    return this.failure.error;
  }

  private bindRunner(): QueryRunner {
    const shared = this.source.createQueryRunner();
    const { connection } = this;
    // Its own state, since on SQLite TypeORM has one query runner for all callers. It is in a transaction, so one inside is a savepoint.
    const bound = Object.create(shared, {
      isReleased: { value: false, writable: true },
      isTransactionActive: { value: true, writable: true },
      transactionDepth: { value: 1, writable: true },
      ...(connection && { connect: { value: () => Promise.resolve(connection) } }),
      query: {
        value: (...parameters: Parameters<QueryRunner['query']>) => {
          const answer = shared.query.apply(bound, parameters).catch((error: unknown) => {
            throw this.failWith(error);
          });
          this.unanswered.add(answer);
          const answered = () => this.unanswered.delete(answer);
          answer.then(answered, answered);
          return answer;
        },
      },
    }) as QueryRunner;
    Object.assign(bound, { manager: this.source.createEntityManager(bound) });
    return bound;
  }
}
