import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { Database, insertRows, isOneOf, raw, sql } from '#libs/database';

const MINUTE = 60_000;
const WRITE_AFTER_MILLISECONDS = 1_000;
const TABLE = raw('"api_key_uses"');
const KEEP_LATEST = raw(
  'ON CONFLICT ("key_id") DO UPDATE SET "last_used_at" = excluded."last_used_at" WHERE excluded."last_used_at" > "api_key_uses"."last_used_at"',
);

interface KeyUseRow {
  readonly key_id: bigint | string;
  readonly last_used_at: bigint | string;
}

/**
 * When API keys were last used, to the minute. Kept in memory and written once a second at most, only for keys whose minute
 * changed: what a crash loses is no fact of the domain.
 */
@Injectable()
export class ApiKeyUses implements BeforeApplicationShutdown {
  private readonly lastMinutes = new Map<bigint, number>();
  private unwritten = new Set<bigint>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  record(keyId: bigint): void {
    const now = this.clock.now().getTime();
    const minute = now - (now % MINUTE);
    if (this.lastMinutes.get(keyId) === minute) return;
    this.lastMinutes.set(keyId, minute);
    this.unwritten.add(keyId);
    this.schedule();
  }

  /** The start of the minute of each key's last use, also when it is not written yet; keys never used have no entry. */
  async lastUses(keyIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Date>> {
    if (keyIds.length === 0) return new Map();
    const rows = await this.database.reader.query<KeyUseRow>(
      sql`SELECT "key_id", "last_used_at" FROM ${TABLE} WHERE "key_id" ${isOneOf(keyIds)}`,
    );
    return this.withUsesHere(rows, keyIds);
  }

  /** The keys that were used last, the latest first, at most `limit`. */
  async latestUsed(limit: number): Promise<ReadonlyMap<bigint, Date>> {
    const rows = await this.database.reader.query<KeyUseRow>(
      sql`SELECT "key_id", "last_used_at" FROM ${TABLE} ORDER BY "last_used_at" DESC, "key_id" LIMIT ${limit}`,
    );
    const uses = this.withUsesHere(rows, this.unwritten);
    return new Map([...uses].sort(([, left], [, right]) => right.getTime() - left.getTime()).slice(0, limit));
  }

  /** Writes what is not written yet. Where that fails, the next use tries again. */
  async write(): Promise<void> {
    const keys = this.unwritten;
    if (keys.size === 0) return;
    this.unwritten = new Set();
    const rows = [...keys].map((id) => [id, this.lastMinutes.get(id) ?? 0]);
    try {
      await this.database.write((transaction) =>
        insertRows(transaction, { table: TABLE, columns: ['key_id', 'last_used_at'], rows, suffix: KEEP_LATEST }),
      );
    } catch {
      for (const id of keys) this.unwritten.add(id);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.write();
  }

  /** What was read, with what this process knows of the named keys and may not have written yet. */
  private withUsesHere(rows: readonly KeyUseRow[], keyIds: Iterable<bigint>): ReadonlyMap<bigint, Date> {
    const uses = new Map(rows.map(({ key_id, last_used_at }) => [BigInt(key_id), Number(last_used_at)]));
    for (const id of keyIds) {
      const here = this.lastMinutes.get(id);
      if (here !== undefined) uses.set(id, Math.max(here, uses.get(id) ?? 0));
    }
    return new Map([...uses].map(([id, time]) => [id, new Date(time)]));
  }

  private schedule(): void {
    if (this.timer || this.closed) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.write();
    }, WRITE_AFTER_MILLISECONDS).unref();
  }
}
