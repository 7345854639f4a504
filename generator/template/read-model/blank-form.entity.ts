import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';
import { BlankFormFields, type BlankFormStatus } from '../domain/blank-form.js';

/** One of the blank forms that can be read. */
@Entity('blank_forms')
// each filter
@Index(['blankInteger', 'id'])
@Index(['blankTime', 'id'])
@Index(['blankWord', 'id'])
// if status
@Index(['status', 'id'])
// end
export class BlankFormRow extends BlankFormFields {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  // if status
  @Column(columnTypes.text) readonly status!: BlankFormStatus;
  // end
  @Column(columnTypes.integer) readonly version!: number;
}
