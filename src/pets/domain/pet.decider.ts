import type { Decider } from '#libs/event-store';
import { PetAlreadyAddedError, PetHasOpenOrderError, PetNotAvailableError, PetNotFoundError } from './pet.errors.js';
import type { PetAdded, PetCorrected, PetEvent, PetStatusSet } from './pet.events.js';
import type { PetDetails, PetStatus, PetSnapshot } from './pet.js';

interface KnownPet {
  /** A withdrawn animal is gone for readers; its details are what was last known. */
  readonly kind: 'present' | 'withdrawn';
  readonly details: PetDetails;
  /** The order for which it is reserved. */
  readonly reservedBy?: bigint | undefined;
}

export type PetState = { readonly kind: 'none' } | KnownPet;

/** What is to become of the details of an animal; what is undefined stays as it is. */
export interface PetChanges {
  readonly name?: string | undefined;
  readonly categoryId?: bigint | undefined;
  readonly status?: PetStatus | undefined;
}

export type PetCommand =
  | { readonly kind: 'add'; readonly details: PetDetails }
  | ({ readonly kind: 'change'; readonly id: bigint } & PetChanges)
  | { readonly kind: 'withdraw'; readonly id: bigint; readonly reason: string }
  | { readonly kind: 'reserve'; readonly id: bigint }
  | EndReservation;

/** The order for which it is reserved is over. An animal that is not reserved for it stays as it is. */
interface EndReservation {
  readonly kind: 'release' | 'hand-over';
  readonly id: bigint;
  readonly orderId: bigint;
}

/** The rules of an animal. What would change nothing gives no event. */
export const petDecider: Decider<PetState, PetCommand, PetEvent> = { form: 'pet 1', initialState: { kind: 'none' }, decide, evolve };

function decide(command: PetCommand, state: PetState): PetEvent[] {
  if (command.kind === 'add') return [add(command.details, state)];
  if (command.kind === 'release' || command.kind === 'hand-over') return endReservation(command, state);
  if (state.kind !== 'present') throw new PetNotFoundError(command.id);
  switch (command.kind) {
    case 'change':
      return [...correct(command, state.details), ...setStatus(command, state)];
    case 'withdraw':
      return [{ type: 'pet-withdrawn', data: { reason: command.reason } }];
    case 'reserve':
      return [reserve(command.id, state)];
  }
}

function add({ name, categoryId, status }: PetDetails, state: PetState): PetAdded {
  if (state.kind !== 'none') throw new PetAlreadyAddedError();
  return { type: 'pet-added', data: { name, categoryId: categoryId.toString(), ...(status && { status }) } };
}

function correct(to: PetChanges, from: PetDetails): PetCorrected[] {
  const name = to.name === from.name ? undefined : to.name;
  const categoryId = to.categoryId === from.categoryId ? undefined : to.categoryId;
  if (name === undefined && categoryId === undefined) return [];
  const data = { ...(name !== undefined && { name }), ...(categoryId !== undefined && { categoryId: categoryId.toString() }) };
  return [{ type: 'pet-corrected', data }];
}

function setStatus({ id, status }: PetChanges & { readonly id: bigint }, { details, reservedBy }: KnownPet): PetStatusSet[] {
  if (status === undefined || status === details.status) return [];
  if (reservedBy !== undefined) throw new PetHasOpenOrderError(id, reservedBy);
  return [{ type: 'pet-status-set', data: { status } }];
}

/** The event is still without the order, which may get its id only when it is recorded. */
function reserve(id: bigint, { details: { status }, reservedBy }: KnownPet): PetStatusSet {
  if (status !== 'available' || reservedBy !== undefined) throw new PetNotAvailableError(id, status);
  return { type: 'pet-status-set', data: { status: 'pending' } };
}

function endReservation({ kind, orderId }: EndReservation, state: PetState): PetStatusSet[] {
  if (state.kind !== 'present' || state.reservedBy !== orderId) return [];
  return [{ type: 'pet-status-set', data: { status: kind === 'release' ? 'available' : 'sold', orderId: orderId.toString() } }];
}

function evolve(state: PetState, event: PetEvent): PetState {
  if (event.type === 'pet-added') return { kind: 'present', details: toDetails(event) };
  if (state.kind === 'none') return state;
  switch (event.type) {
    case 'pet-status-set':
      return { ...state, details: { ...state.details, status: event.data.status }, reservedBy: nextReservation(event, state) };
    case 'pet-corrected':
      return { ...state, details: applyCorrection(state.details, event) };
    case 'pet-withdrawn':
      return { ...state, kind: 'withdrawn' };
    default:
      // A newer build may have written what this one does not know.
      return state;
  }
}

/** A build that knows no orders may have set the status of a reserved animal by hand, which ends nothing. */
function nextReservation({ data: { status, orderId } }: PetStatusSet, { reservedBy }: KnownPet): bigint | undefined {
  if (orderId === undefined) return reservedBy;
  return status === 'pending' ? BigInt(orderId) : undefined;
}

function toDetails({ data: { name, categoryId, status } }: PetAdded): PetDetails {
  return { name, categoryId: BigInt(categoryId), ...(status && { status }) };
}

function applyCorrection(details: PetDetails, { data: { name, categoryId } }: PetCorrected): PetDetails {
  return { ...details, ...(name !== undefined && { name }), ...(categoryId !== undefined && { categoryId: BigInt(categoryId) }) };
}

/** An event with the moment at which it was recorded. */
export type TimedPetEvent = PetEvent & { readonly recordedAt: Date };

/**
 * The animal as these events have made it.
 * @param events the first ones of its stream, in order
 * @returns undefined before it was added, and from its withdrawal on
 */
export function foldPet(id: bigint, events: readonly TimedPetEvent[]): PetSnapshot | undefined {
  const state = events.reduce((before, event) => petDecider.evolve(before, event), petDecider.initialState);
  const [added] = events;
  return state.kind === 'present' && added ? { id, ...state.details, addedAt: added.recordedAt } : undefined;
}
