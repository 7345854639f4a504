import {
  Aggregate,
  EventStore,
  Participants,
  type NewEvent,
  type StreamAppend,
  type AppendOptions,
  type AppendResult,
} from '#libs/event-sourcing';
import { Injectable } from '@nestjs/common';
import { petDecider, type PetCommand, type PetState } from '../domain/pet.decider.js';
import { PetNotFoundError } from '../domain/pet.errors.js';
import type { PetEvent } from '../domain/pet.events.js';
import { toPet } from '../domain/pet-fields.js';
import { petStream, type Pet, type PetStatus } from '../domain/pet.js';

/** An animal as read, with the decisions since. */
export class PetAggregate {
  constructor(
    private readonly id: bigint,
    private readonly stream: Aggregate<PetState, PetCommand, PetEvent>,
  ) {}

  /** The animal; a withdrawn one as last known. @throws PetNotFoundError if it was never added */
  get pet(): Pet {
    const { state } = this.stream;
    if (state.kind === 'none') throw new PetNotFoundError(this.id);
    return toPet({ id: this.id, ...state.details });
  }

  /** The order that reserves it, even if that is overdue. */
  get reservedBy(): bigint | undefined {
    const { state } = this.stream;
    return state.kind === 'present' ? state.reservedBy : undefined;
  }

  /** @throws PetNotFoundError if it was never added or was withdrawn */
  requirePresent(): void {
    if (this.stream.state.kind !== 'present') throw new PetNotFoundError(this.id);
  }

  /** Returns the append that follows; none if nothing changes. @throws as the decider does */
  decide(command: PetCommand): StreamAppend[] {
    return this.stream.decide(command);
  }

  /** Returns an append by which a command that depends on the animal is decided again if the animal has changed since. */
  expectUnchanged(): StreamAppend {
    return this.stream.expectUnchanged();
  }

  /** Reserves it for the order that is the first new stream of the same append. @throws PetNotFoundError, PetNotAvailableError */
  reserve(): StreamAppend[] {
    return this.decide({ kind: 'reserve', id: this.id }).map(({ events, ...append }) => ({
      ...append,
      events: events.map(withFirstNewOrder),
    }));
  }

  /** Makes it available again, or sold by `hand-over`, unless it is withdrawn. @throws PetNotReservedError if it is not this order's */
  endReservation(kind: 'release' | 'hand-over', orderId: bigint): StreamAppend[] {
    return this.decide({ kind, id: this.id, orderId });
  }
}

/** Adds the id of the order that is the first new stream of the append. */
function withFirstNewOrder({ type, data }: NewEvent): NewEvent {
  return { type, data: ([orderId]: readonly bigint[]) => Object.assign({}, data, { orderId: String(orderId) }) };
}

/** A change of an animal that is not decided yet, as it was read. */
export type PetChange = { readonly pet: PetAggregate } & (
  | { readonly kind: 'reserve' }
  | { readonly kind: 'change'; readonly status?: PetStatus | undefined }
  | { readonly kind: 'withdraw'; readonly reason: string }
);

/** Changes animals together with what other modules keep of them, in one append, which fails if one of the streams has changed since it was read. */
@Injectable()
export class PetReservations {
  /** Other modules, which may refuse to have an animal reserved, changed or withdrawn, or append with it. */
  readonly participants = new Participants<PetChange>();

  constructor(private readonly store: EventStore) {}

  /** Reads an animal from the log; it need not exist. */
  async load(id: bigint): Promise<PetAggregate> {
    return new PetAggregate(id, await Aggregate.read(this.store, petDecider, petStream(id)));
  }

  /** Appends events of animals and what belongs to them. @throws as `EventStore.append` */
  async append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult> {
    return this.report(await this.store.append(appends, options));
  }

  /** Decides about animals and what belongs to them, and appends. @throws as `EventStore.execute` */
  async execute(decide: () => Promise<readonly StreamAppend[]>, options: AppendOptions): Promise<AppendResult> {
    return this.report(await this.store.execute(decide, options));
  }

  private report(result: AppendResult): AppendResult {
    if (!result.replayed) this.participants.appended(result.events);
    return result;
  }
}
