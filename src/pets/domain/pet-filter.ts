import type { PetStatus } from './pet-status.js';

/** Which animals are meant: those that have everything that is given. */
export interface PetFilter {
  readonly status?: PetStatus;
  readonly categoryId?: bigint;
}
