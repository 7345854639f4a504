import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** A counter of the log. */
@Entity('sequences')
export class Sequence {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  @Column(columnTypes.int64) readonly lastValue!: bigint;
}
