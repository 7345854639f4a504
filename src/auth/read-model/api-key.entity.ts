import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional, type StoredValue } from '#libs/database';
import { LIMIT_NAMES, type Limits, type Plan } from '../domain/plans.js';

/** Texts, separated by commas. */
const list = {
  ...columnTypes.text,
  transformer: { to: (texts: readonly string[]) => texts.join(','), from: (stored: StoredValue) => String(stored).split(',') },
};

/** The limits of a key of the plan enterprise. */
const LimitColumns = class extends Object {} as new () => Readonly<Partial<Limits>>;
for (const name of LIMIT_NAMES) Column(optional(columnTypes.integer))(LimitColumns.prototype as object, name);

/** An API key. Times are ISO texts. */
@Entity('api_keys')
@Index(['owner', 'id'])
export class ApiKeyRow extends LimitColumns {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.text) readonly name!: string;
  @Column(columnTypes.folded) readonly foldedName!: string;
  @Column(optional(columnTypes.text)) readonly owner?: string;
  @Column(columnTypes.text) readonly plan!: Plan;
  @Column(list) readonly scopes!: readonly string[];
  @Column(optional(columnTypes.text)) readonly keyStart?: string;
  @Column(columnTypes.isoTime) readonly createdAt!: Date;
  @Column(optional(columnTypes.isoTime)) readonly expiresAt?: Date;
  @Column(optional(columnTypes.isoTime)) readonly revokedAt?: Date;
  @Column(optional(columnTypes.isoTime)) readonly rotatedAt?: Date;
  @Column(optional(columnTypes.isoTime)) readonly previousValidUntil?: Date;
  @Column(optional(columnTypes.isoTime)) readonly bannedUntil?: Date;
  @Column(optional(columnTypes.integer)) readonly banStep?: number;
  @Column(optional(columnTypes.text)) readonly banReason?: string;
  @Column(columnTypes.integer) readonly unbans!: number;
  @Column(columnTypes.integer) readonly version!: number;
}

/** The hash of a token of a key. */
@Entity('api_key_secrets')
export class ApiKeySecret {
  @PrimaryColumn(columnTypes.text) readonly hash!: string;
  @Index()
  @Column(columnTypes.int64)
  readonly keyId!: bigint;
  /** Absent for the token that was issued last. */
  @Column(optional(columnTypes.isoTime)) readonly validUntil?: Date;
  /** Of the event that issued it. */
  @Column(columnTypes.integer) readonly version!: number;
}
