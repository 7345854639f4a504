import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';
import type { PetStatus } from '../domain/pet-status.js';
import type { Pet } from '../domain/pet.js';

/** One driver gives an int64 as bigint, the other as string; here it is always bigint. */
const int64: ValueTransformer = {
  from: (stored: bigint | string) => BigInt(stored),
  to: (value: unknown) => value,
};

/** The read row of an animal. */
@Entity('pets')
export class PetEntity {
  @PrimaryColumn({ type: 'bigint', transformer: int64 })
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;

  @Column({ name: 'category_id', type: 'bigint', transformer: int64 })
  readonly categoryId!: bigint;

  @Column({ type: 'text', nullable: true })
  readonly status!: PetStatus | null;

  /** The version, in the animal's stream, of the event that wrote this row. */
  @Column({ type: 'bigint', transformer: int64 })
  readonly version!: bigint;
}

/** The animal that a read row tells of. */
export function petOf({ id, name, categoryId, status }: PetEntity): Pet {
  return { id, name, categoryId, ...(status && { status }) };
}
