import { orderDecider, type OrderState } from './order.decider.js';
import { OrderNotFoundError } from './order.errors.js';
import type { OrderEvent } from './order.events.js';
import type { OrderSnapshot } from './order.js';

/**
 * The order that a stream's state tells of at a version.
 * @throws OrderNotFoundError before it was placed
 */
export function orderIn(id: bigint, { state, version }: { readonly state: OrderState; readonly version: number }): OrderSnapshot {
  if (state.kind === 'none') throw new OrderNotFoundError(id);
  const { kind: _kind, ...details } = state;
  return { id, version, ...details };
}

/**
 * The order as these events have made it.
 * @param events the first ones of its stream, in order
 * @returns undefined before it was placed
 */
export function orderAfter(id: bigint, events: readonly OrderEvent[]): OrderSnapshot | undefined {
  const state = events.reduce((before, event) => orderDecider.evolve(before, event), orderDecider.initialState);
  return state.kind === 'none' ? undefined : orderIn(id, { state, version: events.length });
}
