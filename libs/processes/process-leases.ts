import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { Database, identifier, sql } from '#libs/database';

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
        // What ends later than any can was taken by a clock that has been set back since; twice the length is for clocks that differ.
        return transaction.query(
          sql`INSERT INTO ${table} ("name", "holder", "held_until") VALUES (${name}, ${this.holder}, ${now + LENGTH_MILLISECONDS})
              ON CONFLICT ("name") DO UPDATE SET "holder" = excluded."holder", "held_until" = excluded."held_until"
              WHERE ${table}."holder" = excluded."holder" OR ${table}."held_until" <= ${now}
                OR ${table}."held_until" > ${now + 2 * LENGTH_MILLISECONDS}
              RETURNING "name"`,
        );
      },
      { durable: false },
    );
    return taken.length > 0;
  }
}
