import type { PetFields } from './pet-fields.js';

/** Availability for adoption. An animal may have none. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

export type PetDetails = Readonly<PetFields>;

/** An animal as REST and the command line show it. */
export interface Pet extends PetDetails {
  readonly id: bigint;
}

/** An animal now, or at an earlier moment. */
export interface PetSnapshot extends Pet {
  readonly addedAt: Date;
  /** Number of its events, from 1. */
  readonly version: number;
  readonly withdrawnAt?: Date | undefined;
  readonly withdrawalReason?: string | undefined;
}

/** The category of the streams, one for each animal. */
export const PET_CATEGORY = 'pet';

/** Returns the stream of an animal, such as `pet-17`. */
export function petStream(id: bigint): string {
  return `${PET_CATEGORY}-${id}`;
}
