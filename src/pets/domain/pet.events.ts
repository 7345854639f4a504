import type { DomainEvent, EventDefinition } from '#libs/event-store';
import type { PetStatus } from './pet-status.js';

/** `categoryId` is an int64 as a decimal string, here and below. */
export type PetAdded = DomainEvent<'pet-added', { readonly name: string; readonly categoryId: string; readonly status?: PetStatus }>;

export type PetStatusSet = DomainEvent<'pet-status-set', { readonly status: PetStatus }>;

/** Holds only what was corrected. */
export type PetCorrected = DomainEvent<'pet-corrected', { readonly name?: string; readonly categoryId?: string }>;

export type PetWithdrawn = DomainEvent<'pet-withdrawn', { readonly reason: string }>;

export type PetEvent = PetAdded | PetStatusSet | PetCorrected | PetWithdrawn;

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const petEventDefinitions: readonly (EventDefinition & { readonly type: PetEvent['type'] })[] = [
  { type: 'pet-added', schemaVersion: 1 },
  { type: 'pet-status-set', schemaVersion: 1 },
  { type: 'pet-corrected', schemaVersion: 1 },
  { type: 'pet-withdrawn', schemaVersion: 1 },
];
