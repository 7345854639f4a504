import type { CallOptions } from './conditions.js';
import type { AdoptionEvent, EventType } from './document.js';
import { streamEvents } from './event-stream.js';
import type { Moment } from './filters.js';
import type { Pages } from './pages.js';
import type { PageOptions, Query, Requests } from './requests.js';

const EVENTS = '/v1/events';

/** Which events. */
export interface EventFilter<Type extends EventType = EventType> extends CallOptions {
  /** The position behind which it begins: the id of an event, one that `onPosition` told, or `earliest`. */
  readonly after?: string | undefined;
  /** Only these types, which the events then have. */
  readonly types?: readonly Type[] | undefined;
  /** Only events of this subject, such as `pets/17`. */
  readonly subject?: string | undefined;
  /** Only events that were recorded at this moment or later. A stream begins there, unless `after` is given. */
  readonly since?: Moment | undefined;
}

export interface EventPageOptions<Type extends EventType = EventType> extends EventFilter<Type>, PageOptions {
  /** Only events that were recorded before this moment. */
  readonly before?: Moment | undefined;
}

export interface EventStreamOptions<Type extends EventType = EventType> extends EventFilter<Type> {
  /**
   * Called with each position up to which the loop has gone through all events: behind an event when the loop asks for the next one, and
   * when the service tells that others were passed over. It is waited for; what it throws, the loop throws.
   */
  readonly onPosition?: ((position: string) => unknown) | undefined;
}

/** What happens to animals and orders. Without `types` there may be events of types that are not among those of `EventType`. */
export class Events<Id> {
  readonly #requests: Requests<Id>;

  constructor(requests: Requests<Id>) {
    this.#requests = requests;
  }

  /** The past events, in order. Without `after` from the beginning. Each iteration starts again. */
  list<const Type extends EventType = EventType>({ before, limit, signal, ...filter }: EventPageOptions<Type> = {}): Pages<
    AdoptionEvent<Id, Type>
  > {
    return this.#requests.pages({ path: EVENTS, query: { ...queryOf(filter), before, limit }, signal });
  }

  /**
   * What happens, each event once and in order, over as many connections as it takes; from now on without `after` and `since`.
   * It ends when the loop over it does, and rejects with the signal's reason when that is aborted.
   * @throws AdoptionError when it is refused, or when nothing was heard over the attempts of `maxWait`; `log_rewound` when the service no
   * longer has the history that the position belongs to
   */
  stream<const Type extends EventType = EventType>({ signal, onPosition, ...filter }: EventStreamOptions<Type> = {}): AsyncIterable<
    AdoptionEvent<Id, Type>
  > {
    return streamEvents(this.#requests, { path: EVENTS, query: queryOf(filter), signal }, onPosition);
  }
}

function queryOf({ after, types, subject, since }: EventFilter): Query {
  return { after, type: types, subject, since };
}
