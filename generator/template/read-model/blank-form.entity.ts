import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';
import { BlankFormFields, type BlankFormBlankState } from '../domain/blank-form.js';

/** One of the blank forms that can be read. */
@Entity('blank_forms')
// each filter
@Index(['blankInteger', 'id'])
@Index(['blankTime', 'id'])
@Index(['blankWord', 'id'])
// if state
@Index(['blankState', 'id'])
// end
export class BlankFormRow extends BlankFormFields {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  // if state
  @Column(columnTypes.text) readonly blankState!: BlankFormBlankState;
  // end
  @Column(columnTypes.integer) readonly version!: number;
}
