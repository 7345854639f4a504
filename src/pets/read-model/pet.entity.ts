import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import type { PetStatus } from '../domain/pet.js';

/** A visible animal. */
@Entity('pets')
@Index(['status', 'id'])
@Index(['categoryId', 'id'])
export class PetRow {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.text) readonly name!: string;
  @Column(columnTypes.int64) readonly categoryId!: bigint;
  @Column(optional(columnTypes.text)) readonly status?: PetStatus;
  @Column(columnTypes.time) readonly addedAt!: Date;
  @Column(columnTypes.integer) readonly version!: number;
}
