import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** How many animals have a status. */
@Entity('pet_status_counts')
export class PetStatusCount {
  @PrimaryColumn(columnTypes.text) readonly status!: string;
  @Column(columnTypes.integer) readonly count!: number;
}

/** How many animals of a category have a status. */
@Entity('pet_category_counts')
export class PetCategoryCount {
  @PrimaryColumn(columnTypes.int64) readonly categoryId!: bigint;
  @PrimaryColumn(columnTypes.text) readonly status!: string;
  @Column(columnTypes.integer) readonly count!: number;
}
