import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** When an API key was last used. */
@Entity('api_key_uses')
export class ApiKeyUse {
  @PrimaryColumn(columnTypes.int64) readonly keyId!: bigint;
  /** The start of the minute, in milliseconds since 1970. */
  @Column(columnTypes.integer) readonly lastUsedAt!: number;
}
