import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';

/** How far one version of a projection is. */
@Entity('projection_checkpoints')
export class ProjectionCheckpoint {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  @PrimaryColumn(columnTypes.integer) readonly version!: number;
  /** How often its tables have been built; 0: they do not exist. */
  @Column(columnTypes.integer) readonly generation!: number;
  /** The position of the last event that it applied. */
  @Column(columnTypes.int64) readonly position!: bigint;
  /** The build that runs or has stopped, if any. */
  @Column(optional(columnTypes.text)) readonly rebuildId?: string | undefined;
  /** The position of that build. */
  @Column(columnTypes.int64) readonly rebuildPosition!: bigint;
  /** Names of the tables in the database, for builds that do not know this version. */
  @Column(columnTypes.json) readonly tables!: readonly string[];
}
