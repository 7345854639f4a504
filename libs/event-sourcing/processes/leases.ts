import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Clock } from '#libs/observability';
import { columnTypes, entityTable, identifier, isOneOf, sql, type SqlFragment, type WriteTransaction } from '#libs/database';

/** Which instance does what has this name, such as firing the timeouts of a source, and until when. */
@Entity('process_leases')
class ProcessLease {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  @Column(columnTypes.text) readonly holder!: string;
  @Column(columnTypes.time) readonly heldUntil!: Date;
}

/** A table whose rows are leased: it has the columns `holder` and `held_until`, the latter in milliseconds since 1970. */
export interface LeasedTable {
  readonly table: SqlFragment;
  /** The column by which a row is named. */
  readonly key: SqlFragment;
  /** The columns of the rows that are returned. */
  readonly columns: SqlFragment;
  /** How long a row is leased unless it is renewed or released. */
  readonly milliseconds: number;
}

/** Leases on rows: one instance at a time holds a row, and another one may take it over when the lease has run out. */
@Injectable()
export class Leases {
  private readonly holder = randomUUID();

  constructor(private readonly clock: Clock) {}

  /** The condition that this instance was the last one to hold a row. */
  get isHolder(): SqlFragment {
    return sql`"holder" = ${this.holder}`;
  }

  /**
   * Returns the condition that no other instance holds a row. A lease that ends later than any can, because the clock of the database was set
   * back, is free; twice its length leaves room for how exactly instances know that clock.
   */
  isFree({ milliseconds }: Pick<LeasedTable, 'milliseconds'>): SqlFragment {
    const now = this.clock.now().getTime();
    return sql`(${this.isHolder} OR "held_until" <= ${now} OR "held_until" > ${now + 2 * milliseconds})`;
  }

  /**
   * Acquires or renews the leases of these rows, skipping rows leased to another instance.
   * @returns the rows that this instance holds now
   */
  acquire<Row extends object>(transaction: WriteTransaction, leased: LeasedTable, keys: readonly (string | bigint)[]): Promise<Row[]> {
    const { table, key, columns, milliseconds } = leased;
    return transaction.query<Row>(
      sql`UPDATE ${table} SET "holder" = ${this.holder}, "held_until" = ${this.clock.now().getTime() + milliseconds}
          WHERE ${key} ${isOneOf(keys)} AND ${this.isFree(leased)} RETURNING ${columns}`,
    );
  }

  /**
   * Acquires or renews a lease of a process by its name, also one that no instance has had yet.
   * @returns false if another instance holds it
   */
  async acquireNamed(transaction: WriteTransaction, name: string, milliseconds: number): Promise<boolean> {
    const { table } = PROCESS_LEASES;
    await transaction.query(
      sql`INSERT INTO ${table} ("name", "holder", "held_until") VALUES (${name}, '', 0) ON CONFLICT ("name") DO NOTHING`,
    );
    return (await this.acquire(transaction, { ...PROCESS_LEASES, milliseconds }, [name])).length > 0;
  }

  /** Ends the lease of a process. */
  releaseNamed(transaction: WriteTransaction, name: string): Promise<void> {
    return this.release(transaction, PROCESS_LEASES, [name]);
  }

  /** Ends the leases that this instance has on these rows, so that another one can acquire them at once. */
  async release(
    transaction: WriteTransaction,
    { table, key }: Pick<LeasedTable, 'table' | 'key'>,
    keys: readonly (string | bigint)[],
  ): Promise<void> {
    await transaction.query(sql`UPDATE ${table} SET "held_until" = 0 WHERE ${this.isHolder} AND ${key} ${isOneOf(keys)}`);
  }
}

/** The leases of timeouts and builds, which mean nothing in another database. */
const PROCESS_LEASES = { table: entityTable(ProcessLease).quoted, key: identifier('name'), columns: identifier('name') };
