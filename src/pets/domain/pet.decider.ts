import type { Decider } from '#libs/event-store';
import { PetAlreadyAddedError, PetNotFoundError } from './pet.errors.js';
import type { PetAdded, PetCorrected, PetEvent } from './pet.events.js';
import type { PetDetails, PetStatus } from './pet.js';

/** A withdrawn animal is gone for readers; its details are what was last known. */
export type PetState = { readonly kind: 'none' } | { readonly kind: 'present' | 'withdrawn'; readonly details: PetDetails };

export type PetCommand =
  | { readonly kind: 'add'; readonly details: PetDetails }
  | { readonly kind: 'set-status'; readonly id: bigint; readonly status: PetStatus }
  | { readonly kind: 'correct'; readonly id: bigint; readonly name: string | undefined; readonly categoryId: bigint | undefined }
  | { readonly kind: 'withdraw'; readonly id: bigint; readonly reason: string };

/** The rules of an animal. What would change nothing gives no event. */
export const petDecider: Decider<PetState, PetCommand, PetEvent> = { initialState: { kind: 'none' }, decide, evolve };

function decide(command: PetCommand, state: PetState): PetEvent[] {
  if (command.kind === 'add') return [add(command.details, state)];
  if (state.kind !== 'present') throw new PetNotFoundError(command.id);
  switch (command.kind) {
    case 'set-status':
      return command.status === state.details.status ? [] : [{ type: 'pet-status-set', data: { status: command.status } }];
    case 'correct':
      return correct(command, state.details);
    case 'withdraw':
      return [{ type: 'pet-withdrawn', data: { reason: command.reason } }];
  }
}

function add({ name, categoryId, status }: PetDetails, state: PetState): PetAdded {
  if (state.kind !== 'none') throw new PetAlreadyAddedError();
  return { type: 'pet-added', data: { name, categoryId: categoryId.toString(), ...(status && { status }) } };
}

function correct(to: { name: string | undefined; categoryId: bigint | undefined }, from: PetDetails): PetCorrected[] {
  const name = to.name === from.name ? undefined : to.name;
  const categoryId = to.categoryId === from.categoryId ? undefined : to.categoryId;
  if (name === undefined && categoryId === undefined) return [];
  const data = { ...(name !== undefined && { name }), ...(categoryId !== undefined && { categoryId: categoryId.toString() }) };
  return [{ type: 'pet-corrected', data }];
}

function evolve(state: PetState, event: PetEvent): PetState {
  if (event.type === 'pet-added') return { kind: 'present', details: detailsOf(event) };
  if (state.kind === 'none') return state;
  switch (event.type) {
    case 'pet-status-set':
      return { ...state, details: { ...state.details, status: event.data.status } };
    case 'pet-corrected':
      return { ...state, details: corrected(state.details, event) };
    case 'pet-withdrawn':
      return { ...state, kind: 'withdrawn' };
    default:
      // A newer build may have written what this one does not know.
      return state;
  }
}

function detailsOf({ data: { name, categoryId, status } }: PetAdded): PetDetails {
  return { name, categoryId: BigInt(categoryId), ...(status && { status }) };
}

function corrected(details: PetDetails, { data: { name, categoryId } }: PetCorrected): PetDetails {
  return { ...details, ...(name !== undefined && { name }), ...(categoryId !== undefined && { categoryId: BigInt(categoryId) }) };
}
