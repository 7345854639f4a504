import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** Which instance does what has this name, such as firing the timeouts of a source, and until when. */
@Entity('process_leases')
export class ProcessLease {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  @Column(columnTypes.text) readonly holder!: string;
  @Column(columnTypes.time) readonly heldUntil!: Date;
}
