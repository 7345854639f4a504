import { type Database, DatabaseUnavailableError, type SqlFragment, type SqlRunner, type WriteTransaction } from '#libs/database';
import { type LeasedTable, Leases } from '#libs/event-sourcing';
import type { VirtualTimers } from './virtual-timers.js';

/** The way between an instance and its database. */
export interface Network {
  /** Longest time of a request, and of a reply, in milliseconds. */
  delay: number;
  /** Which share of requests, and of replies, is lost. */
  loss: number;
}

const NOTICED_AFTER_MILLISECONDS = 2_000;

/** The database as an instance sees it over a network, in virtual time: statements may take effect though their replies are lost. */
export function remoteDatabase(database: Database, timers: VirtualTimers, network: Network): Database {
  const travel = async () => {
    await timers.sleep(timers.integer(0, network.delay));
    if (timers.random() >= network.loss) return;
    await timers.sleep(timers.integer(0, NOTICED_AFTER_MILLISECONDS));
    throw new DatabaseUnavailableError(new Error('lost on the way'));
  };
  const ask = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    await travel();
    const result = await run();
    await travel();
    return result;
  };
  const reader: SqlRunner = {
    dialect: database.dialect,
    query: <Row extends object>(statement: SqlFragment) => ask(() => database.reader.query<Row>(statement)),
  };
  const transaction: Database['transaction'] = (work) => ask(() => database.transaction(work, { durable: false }));
  return Object.create(database, { reader: { value: reader }, transaction: { value: transaction } }) as Database;
}

interface Grant {
  readonly holder: Leases;
  readonly until: number;
}

/** The leases that the instances of one simulation were granted, by the clock of the database. */
export class GrantedLeases {
  /** Leases that were granted before the lease of another instance had ended. */
  readonly overlapping: string[] = [];
  private readonly grants = new Map<string | bigint, Grant>();

  constructor(private readonly timers: VirtualTimers) {}

  /** Returns the leases of a further instance. */
  open(): Leases {
    const { grants, timers, overlapping } = this;
    const now = () => timers.clock.now().getTime();
    class WatchedLeases extends Leases {
      override async acquire<Row extends object>(transaction: WriteTransaction, leased: LeasedTable, keys: readonly (string | bigint)[]) {
        const rows: Row[] = [];
        for (const key of keys) {
          const acquired = await super.acquire<Row>(transaction, leased, [key]);
          if (acquired.length === 0) continue;
          const before = grants.get(key);
          if (before && before.holder !== this && before.until > now()) overlapping.push(`${key} at ${now()}`);
          grants.set(key, { holder: this, until: now() + leased.milliseconds });
          rows.push(...acquired);
        }
        return rows;
      }

      override async release(
        transaction: WriteTransaction,
        leased: Parameters<Leases['release']>[1],
        keys: readonly (string | bigint)[],
      ): Promise<void> {
        await super.release(transaction, leased, keys);
        for (const key of keys) if (grants.get(key)?.holder === this) grants.delete(key);
      }
    }
    return new WatchedLeases(timers.clock);
  }
}
