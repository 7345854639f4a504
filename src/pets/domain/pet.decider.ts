import { readEventData, writeEventData, type Decider } from '#libs/event-sourcing';
import { PetAlreadyAddedError, PetHasOpenOrderError, PetNotAvailableError, PetNotFoundError, PetNotReservedError } from './pet.errors.js';
import { petEvents, type PetAdded, type PetCorrected, type PetEvent, type PetStatusSet } from './pet.events.js';
import type { PetDetails } from './pet.js';

interface KnownPet {
  /** The details of a withdrawn animal are those last known. */
  readonly kind: 'present' | 'withdrawn';
  readonly details: PetDetails;
  /** The order that reserves it. */
  readonly reservedBy?: bigint | undefined;
  /** The order by which it was handed over, until its status is set again. */
  readonly soldBy?: bigint | undefined;
}

export type PetState = { readonly kind: 'none' } | KnownPet;

/** New details; undefined ones stay unchanged. */
export type PetChanges = { readonly [Name in keyof PetDetails]?: PetDetails[Name] | undefined };

export type PetCommand =
  | { readonly kind: 'add'; readonly details: PetDetails }
  | ({ readonly kind: 'change'; readonly id: bigint } & PetChanges)
  | { readonly kind: 'withdraw'; readonly id: bigint; readonly reason: string }
  | { readonly kind: 'reserve'; readonly id: bigint }
  | EndReservation;

/** Ends the reservation of an order. A withdrawn animal stays unchanged. */
interface EndReservation {
  readonly kind: 'release' | 'hand-over';
  readonly id: bigint;
  readonly orderId: bigint;
}

/** The rules of an animal. A command that changes nothing gives no event. */
export const petDecider: Decider<PetState, PetCommand, PetEvent> = { initialState: { kind: 'none' }, decide, evolve };

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

function add(details: PetDetails, state: PetState): PetAdded {
  if (state.kind !== 'none') throw new PetAlreadyAddedError();
  return { type: 'pet-added', data: writeEventData(details) };
}

function correct({ kind, id, status, ...to }: Extract<PetCommand, { kind: 'change' }>, from: PetDetails): PetCorrected[] {
  const recorded: Readonly<Record<string, unknown>> = writeEventData(from);
  const corrected = Object.entries(writeEventData(to)).filter(([name, value]) => value !== undefined && value !== recorded[name]);
  return corrected.length === 0 ? [] : [{ type: 'pet-corrected', data: Object.fromEntries(corrected) }];
}

function setStatus({ id, status }: PetChanges & { readonly id: bigint }, { details, reservedBy }: KnownPet): PetStatusSet[] {
  if (status === undefined || status === details.status) return [];
  if (reservedBy !== undefined) throw new PetHasOpenOrderError(id, reservedBy);
  return [{ type: 'pet-status-set', data: { status } }];
}

/** The id of a new order is added when the event is recorded. */
function reserve(id: bigint, { details: { status }, reservedBy }: KnownPet): PetStatusSet {
  if (status !== 'available' || reservedBy !== undefined) throw new PetNotAvailableError(id, status);
  return { type: 'pet-status-set', data: { status: 'pending' } };
}

function endReservation({ kind, id, orderId }: EndReservation, state: PetState): PetStatusSet[] {
  if (state.kind !== 'present') return [];
  // An order that has handed the animal over can still take it back.
  const isOfOrder = state.reservedBy === orderId || (kind === 'release' && state.soldBy === orderId);
  if (!isOfOrder) throw new PetNotReservedError(id, orderId);
  return [{ type: 'pet-status-set', data: { status: kind === 'release' ? 'available' : 'sold', orderId: orderId.toString() } }];
}

function evolve(state: PetState, event: PetEvent): PetState {
  if (event.type === 'pet-added') return { kind: 'present', details: readEventData(petEvents['pet-added'].data, event.data) };
  if (state.kind === 'none') return state;
  switch (event.type) {
    case 'pet-status-set':
      return { ...state, details: { ...state.details, status: event.data.status }, ...nextOrder(event, state) };
    case 'pet-corrected':
      return { ...state, details: { ...state.details, ...readEventData(petEvents['pet-corrected'].data, event.data) } };
    case 'pet-withdrawn':
      return { ...state, kind: 'withdrawn' };
    default:
      // An event of a newer build.
      return state;
  }
}

/** A status set without an order, as by a build without orders, does not end a reservation. */
function nextOrder({ data: { status, orderId } }: PetStatusSet, { reservedBy }: KnownPet): Pick<KnownPet, 'reservedBy' | 'soldBy'> {
  if (orderId === undefined) return { reservedBy, soldBy: undefined };
  const id = BigInt(orderId);
  return { reservedBy: status === 'pending' ? id : undefined, soldBy: status === 'sold' ? id : undefined };
}
