import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import { columnTypes } from '#libs/database';

/** A row of the log, not upcast. Data and metadata are JSON texts. */
@Entity('events')
@Unique('events_stream', ['stream', 'version'])
@Index('events_type', ['type', 'position'])
export class StoredEvent {
  @PrimaryColumn(columnTypes.int64) readonly position!: bigint;
  @Column({ ...columnTypes.text, name: 'stream_id' }) readonly stream!: string;
  @Column({ ...columnTypes.integer, name: 'stream_version' }) readonly version!: number;
  @Column(columnTypes.text) readonly eventId!: string;
  @Column(columnTypes.text) readonly type!: string;
  @Column(columnTypes.integer) readonly schemaVersion!: number;
  @Column(columnTypes.text) readonly data!: string;
  @Column(columnTypes.text) readonly metadata!: string;
  @Column(columnTypes.time) readonly recordedAt!: Date;
}
