import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import { DailyCount } from '#libs/event-sourcing';
import { PetFields } from '../domain/pet-fields.js';

/** An animal that was ever added. */
@Entity('pets')
@Index(['isWithdrawn', 'id'])
@Index(['isWithdrawn', 'addedAt', 'id'])
@Index(['isWithdrawn', 'status', 'id'])
@Index(['isWithdrawn', 'categoryId', 'id'])
@Index(['isWithdrawn', 'categoryId', 'status', 'id'])
export class PetRow extends PetFields {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.folded) readonly foldedName!: string;
  @Column(columnTypes.time) readonly addedAt!: Date;
  @Column(columnTypes.boolean) readonly isWithdrawn!: boolean;
  @Column(optional(columnTypes.time)) readonly withdrawnAt?: Date | undefined;
  @Column(optional(columnTypes.text)) readonly withdrawalReason?: string | undefined;
  /** Whole days from when it was added to when it was sold; absent for one that was added as sold. */
  @Column(optional(columnTypes.integer)) readonly daysToAdoption?: number | undefined;
  @Column(columnTypes.integer) readonly version!: number;
}

/** The changes of the numbers of animals by status, category and days to adoption. */
@Entity('pet_daily_counts')
export class PetDailyCount extends DailyCount {}
