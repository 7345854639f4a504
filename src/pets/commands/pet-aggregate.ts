import { Aggregate, type EventStore, type NewEvent, type StreamAppend } from '#libs/event-store';
import { petDecider, type PetCommand, type PetState } from '../domain/pet.decider.js';
import { PetNotFoundError } from '../domain/pet.errors.js';
import type { PetEvent } from '../domain/pet.events.js';
import { petStream, type Pet } from '../domain/pet.js';

/** An animal as its stream was read, with what was decided since. */
export class PetAggregate {
  private constructor(
    private readonly id: bigint,
    private readonly stream: Aggregate<PetState, PetCommand, PetEvent>,
  ) {}

  static async from(store: EventStore, id: bigint): Promise<PetAggregate> {
    return new PetAggregate(id, await Aggregate.read(store, petDecider, petStream(id)));
  }

  /**
   * The animal; once it was withdrawn, as it was last known.
   * @throws PetNotFoundError for one that was never added
   */
  get pet(): Pet {
    const { state } = this.stream;
    if (state.kind === 'none') throw new PetNotFoundError(this.id);
    return { id: this.id, ...state.details };
  }

  /** The order for which it is reserved, also one whose time has passed. */
  get reservedBy(): bigint | undefined {
    const { state } = this.stream;
    return state.kind === 'present' ? state.reservedBy : undefined;
  }

  /** @throws PetNotFoundError for one that was never added or was withdrawn */
  requirePresent(): void {
    if (this.stream.state.kind !== 'present') throw new PetNotFoundError(this.id);
  }

  /** What follows from the command; nothing where it changes nothing. @throws as the decider does */
  decide(command: PetCommand): StreamAppend[] {
    return this.stream.decide(command);
  }

  /**
   * Reserves it for the order that is the first new stream of the same append.
   * @throws PetNotFoundError
   * @throws PetNotAvailableError
   */
  reserve(): StreamAppend[] {
    return this.decide({ kind: 'reserve', id: this.id }).map(({ events, ...append }) => ({
      ...append,
      events: events.map(ofFirstNewOrder),
    }));
  }

  /** Makes it available again, unless it is not reserved for this order. */
  release(orderId: bigint): StreamAppend[] {
    return this.decide({ kind: 'release', id: this.id, orderId });
  }

  /** Makes it sold, unless it is not reserved for this order. */
  handOver(orderId: bigint): StreamAppend[] {
    return this.decide({ kind: 'hand-over', id: this.id, orderId });
  }
}

/** The same event, with the id of the order that is the first new stream of its append. */
function ofFirstNewOrder({ type, data }: NewEvent): NewEvent {
  return { type, data: ([orderId]: readonly bigint[]) => Object.assign({}, data, { orderId: String(orderId) }) };
}
