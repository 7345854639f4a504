import type { PetStatus } from './pet-status.js';

/** What is known of an animal besides its id. */
export interface PetDetails {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/** An animal as it is now: what commands and queries answer and what REST and the command line show. */
export interface Pet extends PetDetails {
  readonly id: bigint;
}
