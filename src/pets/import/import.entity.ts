import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** A row that an import has added, so that a repeated one adds only those that are missing. */
@Entity('import_rows')
export class ImportedRow {
  @PrimaryColumn(columnTypes.text) readonly row!: string;
  @PrimaryColumn(columnTypes.text) readonly batch!: string;
  /** When a run has added or found it last. */
  @Column(columnTypes.time) readonly seenAt!: Date;
}
