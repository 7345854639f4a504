import type { AdoptionEvent, EventType } from './document.js';
import { streamEvents } from './event-stream.js';
import type { CallOptions, PageOptions, Requests } from './requests.js';

export interface EventStreamOptions extends CallOptions {
  /** The id of the event behind which it begins, or `earliest`. */
  readonly after?: string | undefined;
  /** These types alone. */
  readonly types?: readonly EventType[] | undefined;
  /** What happened to this alone, such as `pets/17`. */
  readonly subject?: string | undefined;
}

export interface EventPageOptions extends EventStreamOptions, PageOptions {}

/** What happens to animals and orders. Types that are not among those of `EventType` may come. */
export class Events<Id> {
  constructor(private readonly requests: Requests<Id>) {}

  /** What has happened up to now, in order, from the beginning when `after` is left out. Each iteration begins anew. */
  list({ limit, signal, ...filter }: EventPageOptions = {}): AsyncIterable<AdoptionEvent<Id>> {
    return this.requests.pages({ path: '/events', query: { ...queryOf(filter), limit }, signal });
  }

  /**
   * What happens, each event once and in order, over as many connections as it takes; from now on when `after` is left out.
   * It ends when the loop over it does, and rejects with the signal's reason when that is aborted.
   * @throws AdoptionError when it is refused, or when nothing was heard over the attempts of `maxWait`
   */
  stream({ signal, ...filter }: EventStreamOptions = {}): AsyncIterable<AdoptionEvent<Id>> {
    return streamEvents(this.requests, { path: '/events', query: queryOf(filter), signal });
  }
}

function queryOf({ after, types, subject }: EventStreamOptions): Record<string, string | undefined> {
  return { after, type: types?.join(), subject };
}
