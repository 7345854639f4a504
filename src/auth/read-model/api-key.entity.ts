import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import { ApiKeyFields } from '../domain/api-key-fields.js';

/** An API key. */
@Entity('api_keys')
@Index(['owner', 'id'])
export class ApiKeyRow extends ApiKeyFields {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.folded) readonly foldedName!: string;
  @Column(columnTypes.isoTime) readonly createdAt!: Date;
  @Column(optional(columnTypes.isoTime)) readonly revokedAt?: Date;
  @Column(optional(columnTypes.isoTime)) readonly rotatedAt?: Date;
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
