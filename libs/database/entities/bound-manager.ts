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
  /** Statements without an answer yet, awaited by the caller or not. */
  private readonly unanswered = new Set<Promise<unknown>>();

  constructor(source: DataSource, { connection, failWith }: BoundManagerOptions) {
    const shared = source.createQueryRunner();
    // Its own state, since on SQLite TypeORM has one query runner for all callers. It is in a transaction, so one inside is a savepoint.
    this.runner = Object.create(shared, {
      isReleased: { value: false, writable: true },
      isTransactionActive: { value: true, writable: true },
      transactionDepth: { value: 1, writable: true },
      ...(connection && { connect: { value: () => Promise.resolve(connection) } }),
      query: {
        value: (...parameters: Parameters<QueryRunner['query']>) => {
          const answer = shared.query.apply(this.runner, parameters).catch((error: unknown) => {
            throw failWith(error);
          });
          this.unanswered.add(answer);
          const answered = () => this.unanswered.delete(answer);
          answer.then(answered, answered);
          return answer;
        },
      },
    }) as QueryRunner;
    this.manager = source.createEntityManager(this.runner);
  }

  /** Refuses further statements, and resolves when those before are answered. To be called before the transaction ends. */
  async end(): Promise<void> {
    Object.assign(this.runner, { isReleased: true });
    await Promise.allSettled(this.unanswered);
  }
}
