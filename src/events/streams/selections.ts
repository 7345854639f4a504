import { matchesFilter, type PublicEvent, type PublicEventFilter } from '#libs/public-events';

/** Events as they are written to streams. */
export interface Selection {
  /** As server-sent events (HTML, section 9.2), each with its position as id. */
  readonly text: Buffer;
  /** The position of the last one. */
  readonly last: bigint;
}

/** The selection of all of these; undefined of none. */
function selectionOf(events: readonly PublicEvent[]): Selection | undefined {
  const last = events.at(-1)?.position;
  if (last === undefined) return undefined;
  return { text: Buffer.from(events.map(({ position, json }) => `id: ${position}\ndata: ${json}\n\n`).join('')), last };
}

const shared = new WeakMap<readonly PublicEvent[], Map<string, Selection | undefined>>();

/** What of events a filter means: made once for all streams with such a filter that are given the same array. */
export function sharedSelectionOf(events: readonly PublicEvent[], filter: PublicEventFilter): Selection | undefined {
  const made = shared.get(events) ?? new Map<string, Selection | undefined>();
  shared.set(events, made);
  const name = JSON.stringify(filter);
  if (!made.has(name)) made.set(name, selectionOf(events.filter((event) => matchesFilter(filter, event))));
  return made.get(name);
}
