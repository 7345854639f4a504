import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';
import { countColumn, int64Column } from '#libs/database';
import { tableNameOf } from '#libs/projections';
import type { Plan } from '../domain/plan.js';
import { apiKeysTable } from './api-key-rows.js';
import { apiKeysProjection } from './api-keys.projection.js';

/** Scopes in one text column, separated by commas. */
const scopesColumn: ValueTransformer = {
  from: (stored: string) => stored.split(','),
  to: (scopes: readonly string[]) => scopes.join(','),
};

/** An API key as it is read; written by the projection `api-keys`. Times are ISO texts. */
@Entity(tableNameOf(apiKeysProjection, apiKeysTable.name))
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'bigint', transformer: int64Column })
  id!: bigint;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  plan!: Plan;

  /** Set for enterprise alone; the other plans have theirs in the plan table. */
  @Column({ name: 'per_minute', type: 'bigint', nullable: true, transformer: countColumn })
  perMinute!: number | null;

  @Column({ name: 'per_day', type: 'bigint', nullable: true, transformer: countColumn })
  perDay!: number | null;

  @Column({ type: 'text', transformer: scopesColumn })
  scopes!: string[];

  /** The first characters of its token after the prefix; null where its event does not tell. */
  @Column({ name: 'key_start', type: 'text', nullable: true })
  keyStart!: string | null;

  @Column({ name: 'created_at', type: 'text' })
  createdAt!: string;

  @Column({ name: 'expires_at', type: 'text', nullable: true })
  expiresAt!: string | null;

  @Column({ name: 'revoked_at', type: 'text', nullable: true })
  revokedAt!: string | null;

  @Column({ name: 'rotated_at', type: 'text', nullable: true })
  rotatedAt!: string | null;

  @Column({ name: 'previous_valid_until', type: 'text', nullable: true })
  previousValidUntil!: string | null;

  /** The end of the last ban; null where there was none since the last time one was lifted. */
  @Column({ name: 'banned_until', type: 'text', nullable: true })
  bannedUntil!: string | null;

  /** The place of the last ban on the ladder, from 1. */
  @Column({ name: 'ban_step', type: 'bigint', nullable: true, transformer: countColumn })
  banStep!: number | null;

  /** How often a ban was lifted. */
  @Column({ type: 'bigint', transformer: countColumn })
  unbans!: number;

  /** The version of the event that wrote this row. */
  @Column({ type: 'bigint', transformer: countColumn })
  version!: number;
}
