import { Injectable } from '@nestjs/common';
import { Database, identifier, isOneOf, sql } from '#libs/database';
import {
  ReadModels,
  projectionTableName,
  RowReader,
  type Page,
  type PageRange,
  type ProjectionRow,
  type RowOf,
} from '#libs/event-sourcing';
import type { Caller } from '../authentication/caller.decorator.js';
import { ApiKeyNotFoundError } from '../domain/api-key.decider.js';
import { getLimits, planTerms, type Limits, type Plan } from '../domain/api-key.js';
import { apiKeySecretsTable, apiKeysProjection } from './api-keys.projection.js';

/** An API key as operators see it; never its secret. */
export interface ApiKeyView {
  readonly id: bigint;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  /** The first four characters of its token after the prefix; absent for a token from before they were kept. */
  readonly keyStart?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly rotatedAt?: Date;
  /** Until when the token before the last rotation works; absent if it ended at once. */
  readonly previousKeyValidUntil?: Date;
  /** The last ban since one was lifted, also when it is over; absent without one. */
  readonly lastBan?: { readonly until: Date; readonly step: number };
}

/** The key that a token belongs to, and until when the token works. */
export interface ApiKeyCredential extends Omit<Caller, 'actor'> {
  /** Milliseconds since 1970 from which the token is refused: 0 for a revoked key, Infinity without an end. */
  readonly usableUntil: number;
}

type KeyRow = RowOf<typeof apiKeysProjection>;
type SecretRow = ProjectionRow<typeof apiKeySecretsTable>;

const SECRETS = identifier(projectionTableName(apiKeysProjection, apiKeySecretsTable.name));

/** Reads API keys, the revoked ones too, as of the last acknowledged change. */
@Injectable()
export class ApiKeyReader extends RowReader<KeyRow> {
  constructor(database: Database, readModels: ReadModels) {
    super(apiKeysProjection, database, readModels);
  }

  /** Returns a page of the keys, ascending by id. */
  async list(range: PageRange): Promise<Page<ApiKeyView>> {
    const { items, next } = await this.page(range);
    return { items: items.map(toView), next };
  }

  /** Whether a key exists that is neither revoked nor expired at this time. */
  async hasUsable(now: Date): Promise<boolean> {
    const usable = sql`"revoked_at" IS NULL AND ("expires_at" IS NULL OR "expires_at" > ${now.toISOString()})`;
    return (await this.rows(sql`WHERE ${usable} LIMIT 1`)).length > 0;
  }

  /** Returns the keys among these that exist, in no order. */
  async views(ids: readonly bigint[]): Promise<ApiKeyView[]> {
    return (await this.findAll(ids)).map(toView);
  }

  /** @throws ApiKeyNotFoundError */
  async get(id: bigint): Promise<ApiKeyView> {
    const [view] = await this.views([id]);
    if (!view) throw new ApiKeyNotFoundError(id);
    return view;
  }

  /** Returns the credentials of the known ones among these hashes, also those that may no longer be used. */
  async findByHash(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiKeyCredential>> {
    const found = await this.query<SecretRow>(
      sql`SELECT * FROM ${SECRETS} JOIN ${this.table} ON "id" = "key_id" WHERE "hash" ${isOneOf(hashes)}`,
    );
    return new Map(found.map((row) => [row.hash, toCredential(apiKeysProjection.table.fromStored(row), row.valid_until)]));
  }
}

function toView({ id, name, scopes, keyStart, createdAt, ...key }: KeyRow): ApiKeyView {
  const { expiresAt = null, revokedAt = null, rotatedAt, previousValidUntil, bannedUntil, banStep = 0 } = key;
  return {
    id,
    name,
    ...readTerms(key),
    scopes: scopes.split(','),
    ...(keyStart !== undefined && { keyStart }),
    createdAt,
    expiresAt,
    revokedAt,
    ...(rotatedAt && { rotatedAt }),
    ...(previousValidUntil && { previousKeyValidUntil: previousValidUntil }),
    ...(bannedUntil && { lastBan: { until: bannedUntil, step: banStep } }),
  };
}

function toCredential({ id, name, scopes, ...key }: KeyRow, validUntil: string | null): ApiKeyCredential {
  const { expiresAt, revokedAt, bannedUntil, banStep = 0, unbans } = key;
  const ban = { until: bannedUntil?.getTime() ?? 0, step: banStep, unbans };
  const secretEnd = validUntil === null ? Infinity : Date.parse(validUntil);
  const usableUntil = revokedAt ? 0 : Math.min(expiresAt?.getTime() ?? Infinity, secretEnd);
  return { keyId: id, name, ...readTerms(key), scopes: scopes.split(','), ban, usableUntil };
}

function readTerms(key: Pick<KeyRow, 'plan' | 'perMinute' | 'perDay'>): { readonly plan: Plan; readonly limits: Limits } {
  const terms = planTerms(key);
  return { plan: terms.plan, limits: getLimits(terms) };
}
