import type { DataSource, EntityManager } from 'typeorm';
import type { ManagedTransaction, TransactionWork } from '../database.js';
import type { Dialect, SqlFragment } from '../sql.js';
import { BoundManager } from './bound-manager.js';

/** Runs the statements of one transaction. Each one after a failed one fails with its error, whichever way it is sent. */
export abstract class TransactionRunner implements ManagedTransaction {
  abstract readonly dialect: Dialect;
  private failure: { readonly error: unknown } | undefined;
  private bound: BoundManager | undefined;

  /** @param connection that of the transaction, where the data source has more than one */
  constructor(
    private readonly source: DataSource,
    private readonly connection?: object,
  ) {}

  abstract query<Row extends object>(statement: SqlFragment): Promise<Row[]>;

  abstract execute(statement: SqlFragment): void;

  get manager(): EntityManager {
    this.bound ??= new BoundManager(this.source, {
      ...(this.connection && { connection: this.connection }),
      failWith: (error) => this.failWith(error),
    });
    return this.bound.manager;
  }

  /** Does the work of the transaction. When it settles, nothing of it is sent by the manager any more. */
  async perform<Result>(work: TransactionWork<Result>): Promise<Result> {
    try {
      return await work(this);
    } finally {
      await this.bound?.end();
    }
  }

  /** @throws the error of the first statement that failed, if one did */
  assertNoFailure(): void {
    if (this.failure) throw this.failure.error;
  }

  /** Returns the first error of the transaction: later ones only say that there was one. */
  failWith(error: unknown): unknown {
    this.failure ??= { error: this.translate(error) };
    return this.failure.error;
  }

  /** Turns an error of the driver into one of this library. */
  protected abstract translate(error: unknown): unknown;
}
