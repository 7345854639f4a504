import { Injectable } from '@nestjs/common';
import { Database, identifier, isOneOf, raw, sql, type SqlFragment } from '#libs/database';
import { ReadModels, projectionTableName, type PageRange } from '#libs/event-sourcing';
import { ApiKeyNotFoundError } from '../domain/api-key.decider.js';
import { getLimits, planTerms, type Limits, type Plan, type RecordedBan } from '../domain/api-key.js';
import { apiKeySecretsTable, apiKeysProjection, apiKeysTable } from './api-keys.projection.js';

/** An API key as operators see it; never its secret. Times are ISO texts. */
export interface ApiKeyView {
  readonly id: bigint;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  /** The first four characters of its token after the prefix; absent for a token from before they were kept. */
  readonly keyStart?: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly rotatedAt?: string;
  /** Until when the token before the last rotation works; absent if it ended at once. */
  readonly previousKeyValidUntil?: string;
  /** The last ban since one was lifted, also when it is over; absent without one. */
  readonly lastBan?: { readonly until: string; readonly step: number };
}

/** The key that a token belongs to, and until when the token works. */
export interface ApiKeyCredential {
  readonly keyId: bigint;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  readonly ban: RecordedBan;
  /** Milliseconds since 1970 from which the token is refused: 0 for a revoked key, Infinity without an end. */
  readonly usableUntil: number;
}

interface KeyRow {
  readonly id: bigint | string;
  readonly name: string;
  readonly plan: Plan;
  readonly per_minute: bigint | string | null;
  readonly per_day: bigint | string | null;
  readonly scopes: string;
  readonly key_start: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly rotated_at: string | null;
  readonly previous_valid_until: string | null;
  readonly banned_until: string | null;
  readonly ban_step: bigint | string | null;
  readonly unbans: bigint | string;
}

type CredentialRow = KeyRow & { readonly hash: string; readonly valid_until: string | null };

const KEYS = identifier(projectionTableName(apiKeysProjection, apiKeysTable.name));
const SECRETS = identifier(projectionTableName(apiKeysProjection, apiKeySecretsTable.name));

/** Reads API keys, the revoked ones too, as of the last acknowledged change. */
@Injectable()
export class ApiKeyReader {
  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {}

  /** Returns at most `limit` keys with greater ids than `after`, ascending by id. */
  page({ limit, after }: PageRange): Promise<ApiKeyView[]> {
    return this.views(sql`${after === undefined ? raw('') : sql`WHERE "id" > ${after}`} ORDER BY "id" LIMIT ${limit}`);
  }

  async count(): Promise<number> {
    const [row] = await this.query<{ readonly count: bigint | string }>(sql`SELECT count(*) AS "count" FROM ${KEYS}`);
    return Number(row?.count);
  }

  /** Whether a key exists that is neither revoked nor expired at this time, an ISO text. */
  async hasUsable(now: string): Promise<boolean> {
    const usable = sql`"revoked_at" IS NULL AND ("expires_at" IS NULL OR "expires_at" > ${now})`;
    return (await this.query(sql`SELECT 1 FROM ${KEYS} WHERE ${usable} LIMIT 1`)).length > 0;
  }

  /** Returns the keys among these that exist, in no order. */
  async findAll(ids: readonly bigint[]): Promise<ApiKeyView[]> {
    return ids.length === 0 ? [] : this.views(sql`WHERE "id" ${isOneOf(ids)}`);
  }

  /** @throws ApiKeyNotFoundError */
  async get(id: bigint): Promise<ApiKeyView> {
    const [view] = await this.findAll([id]);
    if (!view) throw new ApiKeyNotFoundError(id);
    return view;
  }

  /** Returns the credentials of the known ones among these hashes, also those that may no longer be used. */
  async findByHash(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyCredential>> {
    const rows = await this.query<CredentialRow>(
      sql`SELECT * FROM ${SECRETS} JOIN ${KEYS} ON "id" = "key_id" WHERE "hash" ${isOneOf(hashes)}`,
    );
    return new Map(rows.map((row) => [row.hash, toCredential(row)]));
  }

  private async views(condition: SqlFragment): Promise<ApiKeyView[]> {
    return (await this.query<KeyRow>(sql`SELECT * FROM ${KEYS} ${condition}`)).map(toView);
  }

  private async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    await this.readModels.current(apiKeysProjection);
    return this.database.reader.query<Row>(statement);
  }
}

function toView(row: KeyRow): ApiKeyView {
  return {
    id: BigInt(row.id),
    name: row.name,
    plan: row.plan,
    limits: readLimits(row),
    scopes: row.scopes.split(','),
    ...(row.key_start === null ? {} : { keyStart: row.key_start }),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    ...(row.rotated_at === null ? {} : { rotatedAt: row.rotated_at }),
    ...(row.previous_valid_until === null ? {} : { previousKeyValidUntil: row.previous_valid_until }),
    ...(row.banned_until === null ? {} : { lastBan: { until: row.banned_until, step: Number(row.ban_step) } }),
  };
}

function toCredential(row: CredentialRow): ApiKeyCredential {
  const { name, plan, scopes, expires_at, valid_until, revoked_at, banned_until, ban_step, unbans } = row;
  const ban = { until: banned_until === null ? 0 : Date.parse(banned_until), step: Number(ban_step), unbans: Number(unbans) };
  const usableUntil = revoked_at === null ? Math.min(parseEnd(expires_at), parseEnd(valid_until)) : 0;
  return { keyId: BigInt(row.id), name, plan, limits: readLimits(row), scopes: scopes.split(','), ban, usableUntil };
}

function readLimits({ plan, per_minute, per_day }: KeyRow): Limits {
  return getLimits(planTerms({ plan, perMinute: toNumber(per_minute), perDay: toNumber(per_day) }));
}

function toNumber(stored: bigint | string | null): number | undefined {
  return stored === null ? undefined : Number(stored);
}

function parseEnd(time: string | null): number {
  return time === null ? Infinity : Date.parse(time);
}
