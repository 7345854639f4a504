import { Injectable } from '@nestjs/common';
import {
  Database,
  entityTable,
  foldText,
  identifier,
  isOneOf,
  sql,
  type SqlFragment,
  type SqlRunner,
  type StoredValue,
} from '#libs/database';
import { ReadModels, projectionTableName, RowReader, type Page, type PageRange } from '#libs/event-sourcing';
import { isUnusedSince } from '../last-use/api-key-uses.js';
import type { Caller } from '../authentication/caller.decorator.js';
import { endOf } from '../domain/api-key.decider.js';
import { apiKeyStream, Scopes } from '../domain/api-key.js';
import { ApiKeyNotFoundError } from '../domain/api-key.errors.js';
import { readPlan, toWindowLimits, type Plan } from '../domain/plans.js';
import { toApiKeyView, type ApiKeyView, type KeyStatus } from '../domain/api-key-view.js';
import { ApiKeySecret, type ApiKeyRow } from './api-key.entity.js';
import { apiKeysProjection } from './api-keys.projection.js';

/** Which keys a list shows: those that fit all of it. */
export interface ApiKeyFilter {
  readonly status?: KeyStatus | undefined;
  readonly plan?: Plan | undefined;
  readonly owner?: string | undefined;
  /** A part of the name, in any case, or several, all of which it has. */
  readonly name?: string | readonly string[] | undefined;
  /** Only keys among these. */
  readonly ids?: readonly bigint[] | undefined;
  /** Only keys that were issued before this moment and not used from then on. */
  readonly unusedSince?: Date | undefined;
}

/** Whom a token belongs to, and until when it works. */
export interface ApiKeyCredential {
  readonly caller: Caller;
  /** Milliseconds since 1970 from which the token is refused: 0 for a revoked key, Infinity without an end. */
  readonly usableUntil: number;
}

const secretsTable = entityTable(ApiKeySecret);
const SECRETS = identifier(projectionTableName(apiKeysProjection, secretsTable.name));

/** Reads API keys, the revoked ones too, as of the last acknowledged change. */
@Injectable()
export class ApiKeyReader extends RowReader<ApiKeyRow> {
  constructor(
    database: Database,
    readModels: ReadModels,
    private readonly scopes: Scopes,
  ) {
    super(apiKeysProjection, database, readModels);
  }

  /** Returns a page of the keys that fit at a moment, in the order of their ids. */
  async list({ limit, after, descending, ...filter }: PageRange & ApiKeyFilter, now: Date): Promise<Page<ApiKeyView>> {
    const { plan, owner } = filter;
    const { items, next } = await this.page({ limit, after, descending, plan, owner }, this.fits(filter, now));
    return { items: items.map(toApiKeyView), next };
  }

  /** Counts the keys that fit at a moment. */
  countFitting({ plan, owner, ...filter }: ApiKeyFilter, now: Date): Promise<number> {
    return this.count({ plan, owner }, this.fits(filter, now));
  }

  private fits({ status, name, ids, unusedSince }: Omit<ApiKeyFilter, 'plan' | 'owner'>, now: Date): SqlFragment[] {
    return [
      ...(status ? [STATUS_CONDITIONS[status](now.toISOString())] : []),
      ...(ids ? [sql`"id" ${isOneOf(ids)}`] : []),
      ...[name ?? []].flat().map((part) => this.database.dialect.textSearch.contains(sql`"folded_name"`, foldText(part))),
      ...(unusedSince ? [sql`"created_at" < ${unusedSince.toISOString()}`, isUnusedSince(sql`"id"`, unusedSince)] : []),
    ];
  }

  /** Whether a key exists that is neither revoked nor expired at this time. */
  async hasUsable(now: Date): Promise<boolean> {
    return (await this.rows(sql`WHERE ${isInUse(now.toISOString())} LIMIT 1`)).length > 0;
  }

  /** Whether a key other than this one has a scope and can be used until a time; in a transaction with what that has appended. */
  async hasOtherUsable(
    { id, scope, now, until }: { readonly id: bigint; readonly scope: string; readonly now: Date; readonly until: Date },
    runner: SqlRunner = this.database.reader,
  ): Promise<boolean> {
    const hasScope = sql`',' || "scopes" || ',' LIKE ${`%,${scope},%`}`;
    const lasts = sql`("expires_at" IS NULL OR "expires_at" >= ${until.toISOString()})`;
    const usable = sql`"id" <> ${id} AND ${STATUS_CONDITIONS.active(now.toISOString())} AND ${lasts} AND ${hasScope}`;
    return (await runner.query(sql`SELECT "id" FROM ${this.table} WHERE ${usable} LIMIT 1`)).length > 0;
  }

  /** Returns the keys among these that exist, in no order. */
  async views(ids: readonly bigint[]): Promise<ApiKeyView[]> {
    return (await this.findAll(ids)).map(toApiKeyView);
  }

  /** @throws ApiKeyNotFoundError */
  async get(id: bigint): Promise<ApiKeyView> {
    const [view] = await this.views([id]);
    if (!view) throw new ApiKeyNotFoundError(id);
    return view;
  }

  /** Returns the credentials of the known ones among these hashes, also those that may no longer be used. */
  async findByHash(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyCredential>> {
    const found = await this.query<Record<string, StoredValue | null>>(
      sql`SELECT * FROM ${SECRETS} JOIN ${this.table} ON "id" = "key_id" WHERE "hash" ${isOneOf(hashes)}`,
    );
    return new Map(
      found.map((row) => {
        const { hash, validUntil } = secretsTable.fromStored(row);
        return [hash, this.toCredential(apiKeysProjection.table.fromStored(row), validUntil)];
      }),
    );
  }

  private toCredential({ id, name, scopes, ...key }: ApiKeyRow, validUntil: Date | undefined): ApiKeyCredential {
    const { revokedAt, bannedUntil, banStep = 0, banReason, unbans } = key;
    const { plan, limits } = readPlan(key);
    const caller = {
      ...{ keyId: id, name, plan, windows: toWindowLimits(limits), scopes: this.scopes.withIncluded(scopes) },
      ban: { until: bannedUntil?.getTime() ?? 0, step: banStep, unbans, reason: banReason },
      ...{ isReplaced: validUntil !== undefined, actor: apiKeyStream(id) },
    };
    return { caller, usableUntil: revokedAt ? 0 : Math.min(endOf(key), endOf({ expiresAt: validUntil })) };
  }
}

/** Each status at a moment, as an ISO text. */
const STATUS_CONDITIONS: Readonly<Record<KeyStatus, (now: string) => SqlFragment>> = {
  active: (now) => sql`${isInUse(now)} AND ("banned_until" IS NULL OR "banned_until" <= ${now})`,
  banned: (now) => sql`${isInUse(now)} AND "banned_until" > ${now}`,
  expired: (now) => sql`"revoked_at" IS NULL AND "expires_at" <= ${now}`,
  revoked: () => sql`"revoked_at" IS NOT NULL`,
};

function isInUse(now: string): SqlFragment {
  return sql`"revoked_at" IS NULL AND ("expires_at" IS NULL OR "expires_at" > ${now})`;
}
