import { insertRows, raw, sql, type SqlRunner } from '#libs/database';

const POSITION = 'position';

/** Counters that are read and written under the write lock, so their order is the order of commits and nothing is given out twice. */
export class Sequences {
  private readonly changed = new Set<string>();

  private constructor(private readonly values: Map<string, bigint>) {}

  static async load(runner: SqlRunner): Promise<Sequences> {
    const rows = await runner.query<{ name: string; last_value: bigint | string }>(sql`SELECT "name", "last_value" FROM "sequences"`);
    return new Sequences(new Map(rows.map(({ name, last_value }) => [name, BigInt(last_value)])));
  }

  /** The newest position given out, 0 for an empty log. */
  static async lastPosition(runner: SqlRunner): Promise<bigint> {
    const rows = await runner.query<{ last_value: bigint | string }>(sql`SELECT "last_value" FROM "sequences" WHERE "name" = ${POSITION}`);
    return BigInt(rows[0]?.last_value ?? 0);
  }

  nextPosition(): bigint {
    return this.next(POSITION);
  }

  /** The next id of a category of streams, from 1. */
  nextId(category: string): bigint {
    return this.next(`stream:${category}`);
  }

  async save(runner: SqlRunner): Promise<void> {
    if (this.changed.size === 0) return;
    await insertRows(runner, {
      table: raw('"sequences"'),
      columns: ['name', 'last_value'],
      rows: [...this.changed].map((name) => [name, this.values.get(name) ?? 0n]),
      suffix: raw('ON CONFLICT ("name") DO UPDATE SET "last_value" = excluded."last_value"'),
    });
  }

  private next(name: string): bigint {
    const value = (this.values.get(name) ?? 0n) + 1n;
    this.values.set(name, value);
    this.changed.add(name);
    return value;
  }
}
