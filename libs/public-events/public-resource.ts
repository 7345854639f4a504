import type { ReferenceObject } from '@nestjs/swagger';
import { type Decider, type DomainEvent, type RecordedEvent } from '#libs/event-store';

/** What published events tell of, such as animals: one for each category of streams whose events leave the service. */
export interface PublicResource {
  /** Of the streams, such as `pet` of `pet-7`; their events are published as `pet.added` and the like. */
  readonly category: string;
  /** What the subjects of its events begin with, such as `pets` in `pets/7`. */
  readonly collection: string;
  /** The schema of the data of its events. */
  readonly schema: ReferenceObject;
  /** Such data after an event of a type such as `pet.added`, for the document. */
  readonly example: (type: string) => { readonly id: number };
  /**
   * What REST showed after each of these events.
   * @param events of one stream, without gaps
   * @param before the state before the first of them, as `shownAfterEach` gave it; undefined where that is the first one of the stream
   */
  shownAfterEach(id: bigint, events: readonly RecordedEvent[], before?: ShownState): readonly ShownState[];
}

/** A resource after an event. */
export interface ShownState {
  /** What REST showed; undefined where a reader of this build could not tell. */
  readonly data: object | undefined;
  /** That of the decider; only the resource that gave it can read it. */
  readonly state: unknown;
}

/** A resource whose form follows from the state of its decider. */
export interface DecidedResource<State, Event extends DomainEvent> extends Omit<PublicResource, 'shownAfterEach'> {
  readonly decider: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>;
  /**
   * What REST shows; undefined for a state that it could not show.
   * @param state after the first `version` events
   */
  readonly show: (id: bigint, after: { readonly state: State; readonly version: number }) => object | undefined;
}

/** Makes a resource of what is known of its decider. */
export function publicResource<State, Event extends DomainEvent>(resource: DecidedResource<State, Event>): PublicResource {
  const { decider, show, ...described } = resource;
  return {
    ...described,
    shownAfterEach: (id, events, before) => {
      let state = before ? (before.state as State) : decider.initialState;
      return (events as readonly (RecordedEvent & Event)[]).map((event) => {
        state = decider.evolve(state, event);
        return { state, data: show(id, { state, version: event.version }) };
      });
    },
  };
}
