import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

interface BoundManagerOptions {
  /** The connection of the transaction, where the data source has more than one. */
  readonly connection?: object;
  /** Notes the error of a statement. Returns the one to throw. */
  readonly failWith: (error: unknown) => unknown;
}

/** An EntityManager whose statements run in a transaction that is open already, and nowhere else: each fails once the transaction has ended. */
export class BoundManager {
  readonly manager: EntityManager;
  private readonly runner: QueryRunner;

  constructor(source: DataSource, { connection, failWith }: BoundManagerOptions) {
    const shared = source.createQueryRunner();
    // Its own state, since on SQLite TypeORM has one query runner for all callers. It is in a transaction, so one inside is a savepoint.
    this.runner = Object.create(shared, {
      isReleased: { value: false, writable: true },
      isTransactionActive: { value: true, writable: true },
      transactionDepth: { value: 1, writable: true },
      ...(connection && { connect: { value: () => Promise.resolve(connection) } }),
      query: {
        value: (...parameters: Parameters<QueryRunner['query']>) =>
          shared.query.apply(this.runner, parameters).catch((error: unknown) => {
            throw failWith(error);
          }),
      },
    }) as QueryRunner;
    this.manager = source.createEntityManager(this.runner);
  }

  end(): void {
    Object.assign(this.runner, { isReleased: true });
  }
}
