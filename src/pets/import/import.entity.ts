import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';

/** A row that an import has added, so that a repeated one adds only those that are missing. */
@Entity('import_rows')
export class ImportedRow {
  @PrimaryColumn(columnTypes.text) readonly row!: string;
  @PrimaryColumn(columnTypes.text) readonly batch!: string;
  /** When a run has added or found it last. */
  @Column(columnTypes.time) readonly seenAt!: Date;
}

/** The progress of an import of an earlier version, which counted records by the name of their input. */
@Entity('import_progress')
export class CountedImport {
  @PrimaryColumn(columnTypes.text) readonly batch!: string;
  /** Invalid ones included. */
  @Column(columnTypes.int64) readonly recordsDone!: bigint;
  @Column(columnTypes.text) readonly digest!: string;
  @Column(columnTypes.time) readonly updatedAt!: Date;
  /** Absent while it is unfinished. */
  @Column(optional(columnTypes.time)) readonly finishedAt?: Date;
}
