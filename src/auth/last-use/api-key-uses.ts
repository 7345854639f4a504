import { Injectable, Module } from '@nestjs/common';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Clock, Timers } from '#libs/observability';
import { columnTypes, Database, entityTable, isOneOf, type Migration, raw, sql, type SqlFragment } from '#libs/database';
import { WriteBehind } from '#libs/event-sourcing';

const MINUTE = 60_000;
const WRITE_INTERVAL_MILLISECONDS = 1_000;

/** When an API key was last used. */
@Entity('api_key_uses')
class ApiKeyUse {
  @PrimaryColumn(columnTypes.int64) readonly keyId!: bigint;
  /** The start of the minute, in milliseconds since 1970. */
  @Column(columnTypes.integer) readonly lastUsedAt!: number;
}

const table = entityTable(ApiKeyUse);
const KEEP_LATEST = raw(
  'ON CONFLICT ("key_id") DO UPDATE SET "last_used_at" = excluded."last_used_at" WHERE excluded."last_used_at" > "api_key_uses"."last_used_at"',
);

/** Returns a condition that the key with this id was not used at a moment or later, as far as it is written. */
export function isUnusedSince(keyId: SqlFragment, moment: Date): SqlFragment {
  return sql`NOT EXISTS (SELECT 1 FROM ${table.quoted} WHERE "key_id" = ${keyId} AND "last_used_at" >= ${moment.getTime()})`;
}

/** When each API key was last used. */
export const createApiKeyUses: Migration = {
  name: 'CreateApiKeyUses1767226300000',
  statements: ({ columnTypes: { int64 } }) => [
    `CREATE TABLE "api_key_uses" ("key_id" ${int64} PRIMARY KEY, "last_used_at" ${int64} NOT NULL)`,
  ],
};

/**
 * When API keys were last used, to the minute. Kept in memory and written once a second at most, only for keys whose minute changed: a
 * crash may lose the last second.
 */
@Injectable()
export class ApiKeyUses extends WriteBehind<bigint, number> {
  private readonly lastMinutes = new Map<bigint, number>();

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    super({ content: 'when API keys were last used', intervalMilliseconds: WRITE_INTERVAL_MILLISECONDS, timers });
  }

  record(keyId: bigint): void {
    const now = this.clock.now().getTime();
    const minute = now - (now % MINUTE);
    if (this.lastMinutes.get(keyId) === minute) return;
    this.lastMinutes.set(keyId, minute);
    this.add(keyId, minute);
  }

  /** Returns the start of the minute of each key's last use, also if it is not written yet; keys never used have no entry. */
  async lastUses(keyIds: readonly bigint[]): Promise<ReadonlyMap<bigint, Date>> {
    return keyIds.length === 0 ? new Map() : this.read(sql`WHERE "key_id" ${isOneOf(keyIds)}`, keyIds);
  }

  /** Returns the keys that were used last, at most `limit`, the latest first. */
  async latestUsed(limit: number): Promise<ReadonlyMap<bigint, Date>> {
    const uses = await this.read(sql`ORDER BY "last_used_at" DESC, "key_id" LIMIT ${limit}`, this.unwrittenKeys());
    return new Map([...uses].sort(([, left], [, right]) => right.getTime() - left.getTime()).slice(0, limit));
  }

  protected async write(minutes: ReadonlyMap<bigint, number>): Promise<void> {
    const rows = [...minutes].map(([keyId, lastUsedAt]): ApiKeyUse => ({ keyId, lastUsedAt }));
    await this.database.transaction((transaction) => table.insert(transaction, rows, { suffix: KEEP_LATEST }));
  }

  /** Reads stored uses, and adds what this process knows of the given keys and may not have written yet. */
  private async read(condition: SqlFragment, keyIds: Iterable<bigint>): Promise<ReadonlyMap<bigint, Date>> {
    const rows = await table.read(this.database.reader, table.quoted, condition);
    const uses = new Map(rows.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
    for (const id of keyIds) {
      const here = this.lastMinutes.get(id);
      if (here !== undefined) uses.set(id, Math.max(here, uses.get(id) ?? 0));
    }
    return new Map([...uses].map(([id, time]) => [id, new Date(time)]));
  }
}

/** Not global, as its importer is: at the end TypeORM closes its connections before some global modules, and uses are still written then. */
@Module({ providers: [ApiKeyUses], exports: [ApiKeyUses] })
export class ApiKeyUsesModule {}
