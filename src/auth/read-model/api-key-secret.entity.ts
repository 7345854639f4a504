import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { countColumn } from '#libs/database';
import { tableNameOf } from '#libs/projections';
import { apiKeySecretsTable } from './api-key-secret-rows.js';
import { ApiKeyEntity } from './api-key.entity.js';
import { apiKeysProjection } from './api-keys.projection.js';

/** A token that stands for an API key, by its hash; written by the projection `api-keys`. */
@Entity(tableNameOf(apiKeysProjection, apiKeySecretsTable.name))
export class ApiKeySecretEntity {
  @PrimaryColumn({ type: 'text' })
  hash!: string;

  @ManyToOne(() => ApiKeyEntity)
  @JoinColumn({ name: 'key_id' })
  key!: Relation<ApiKeyEntity>;

  /** ISO time from which the token is refused; null: it lasts as long as the key. */
  @Column({ name: 'valid_until', type: 'text', nullable: true })
  validUntil!: string | null;

  /** The version of the event that wrote this row. */
  @Column({ type: 'bigint', transformer: countColumn })
  version!: number;
}
