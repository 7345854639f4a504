import { systemTimers } from '#libs/observability';
import type { Following, PublicEvent } from '#libs/http';
import type { EventStream, Selection } from './event-stream.js';

const TRY_AGAIN_MILLISECONDS = 250;

const rendered = new WeakMap<readonly PublicEvent[], Selection>();

/** Returns the events as they are sent, rendered once for all streams that get the same array; undefined if there are none. */
function render(events: readonly PublicEvent[]): Selection | undefined {
  const last = events.at(-1)?.position;
  if (last === undefined) return undefined;
  const text = () => Buffer.from(events.map(({ position, json }) => `id: ${position}\ndata: ${json}\n\n`).join(''));
  const selection = rendered.get(events) ?? { text: text(), last };
  rendered.set(events, selection);
  return selection;
}

/**
 * Sends a stream the events that are followed, each once and in order, until it is closed or they have ended. While it is behind, the next
 * page is read only after the stream has drained, so a slow one costs no memory. Never rejects: while the database is unavailable, the
 * stream waits.
 * @param begun called with the position where it begins
 */
export async function sendEvents(following: Following, stream: EventStream, begun: (position: bigint) => void): Promise<void> {
  const next = () => retry(stream, () => following.next());
  await retry(stream, async () => begun(await following.begin()));
  for (let page = await next(); page; page = await next()) {
    const selection = render(page.events);
    if (selection) stream.send(selection);
    if (page.hasMore) await stream.drained();
  }
  following.end();
}

/** Returns undefined if the stream is closed before the work succeeds. */
async function retry<Result>(stream: EventStream, work: () => Promise<Result>): Promise<Result | undefined> {
  while (stream.isOpen) {
    try {
      return await work();
    } catch {
      await systemTimers.sleep(TRY_AGAIN_MILLISECONDS);
    }
  }
  return undefined;
}
