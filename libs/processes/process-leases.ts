import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { Database, identifier, sql, type SqlFragment } from '#libs/database';

/** The table of the leases: who does what for now, which means nothing in another database. */
export const LEASES_TABLE = 'process_leases';

const LENGTH_MILLISECONDS = 3_000;

const table = identifier(LEASES_TABLE);

/** Leases that have one instance at a time do something. Whoever holds one and ends without a word is followed when it has run out. */
@Injectable()
export class ProcessLeases {
  private readonly holder = randomUUID();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes a lease for three seconds, or holds on to it for as long.
   * @returns false while another instance has it
   * @throws DatabaseUnavailableError
   */
  async take(name: string): Promise<boolean> {
    const taken = await this.database.write(
      (transaction) => {
        const now = this.clock.now().getTime();
        return transaction.query(
          sql`INSERT INTO ${table} ("name", "holder", "held_until") VALUES (${name}, ${this.holder}, ${now + LENGTH_MILLISECONDS})
              ON CONFLICT ("name") DO UPDATE SET "holder" = excluded."holder", "held_until" = excluded."held_until"
              WHERE ${isLeaseFree(table, { holder: this.holder, now, length: LENGTH_MILLISECONDS })}
              RETURNING "name"`,
        );
      },
      { durable: false },
    );
    return taken.length > 0;
  }
}

/**
 * Whether a lease may be taken: by its holder, after its end, or if it ends later than any can because the clock of the database was set
 * back since. Twice the length leaves room for how exactly instances know that clock.
 * @param table of columns `holder` and `held_until`, the latter in milliseconds since 1970, as are `now` and `length`
 */
export function isLeaseFree(
  table: SqlFragment,
  { holder, now, length }: { readonly holder: string; readonly now: number; readonly length: number },
): SqlFragment {
  return sql`(${table}."holder" = ${holder} OR ${table}."held_until" <= ${now} OR ${table}."held_until" > ${now + 2 * length})`;
}
