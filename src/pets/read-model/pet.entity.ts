import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';
import { int64Column } from '#libs/database';
import type { PetStatus } from '../domain/pet-status.js';
import type { PetSnapshot } from '../domain/pet-snapshot.js';
import type { Pet } from '../domain/pet.js';

/** Milliseconds since 1970 as a `Date`. */
const moment: ValueTransformer = {
  from: (stored: bigint | string) => new Date(Number(stored)),
  to: (value: unknown) => value,
};

/** The read row of an animal. */
@Entity('pets')
export class PetEntity {
  @PrimaryColumn({ type: 'bigint', transformer: int64Column })
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;

  @Column({ name: 'category_id', type: 'bigint', transformer: int64Column })
  readonly categoryId!: bigint;

  @Column({ type: 'text', nullable: true })
  readonly status!: PetStatus | null;

  @Column({ name: 'added_at', type: 'bigint', transformer: moment })
  readonly addedAt!: Date;

  /** The version, in the animal's stream, of the event that wrote this row. */
  @Column({ type: 'bigint', transformer: int64Column })
  readonly version!: bigint;
}

/** The animal that a read row tells of. */
export function petOf({ id, name, categoryId, status }: PetEntity): Pet {
  return { id, name, categoryId, ...(status && { status }) };
}

/** The same with when it was added. */
export function petSnapshotOf(entity: PetEntity): PetSnapshot {
  return { ...petOf(entity), addedAt: entity.addedAt };
}
