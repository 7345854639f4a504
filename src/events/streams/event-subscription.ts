import { systemTimers } from '#libs/observability';
import type { Following, PublicEvent, PublicEventFilter, PublicEventFollower } from '#libs/http';
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

interface SubscriptionOptions {
  readonly follower: PublicEventFollower;
  readonly filter: PublicEventFilter;
  /** Position after which it begins; undefined for the end of the log. */
  readonly after: bigint | undefined;
}

/**
 * Sends a stream the matching events behind a position, each once and in order. While it is behind, the next page is read only after the
 * stream has drained, so a slow one costs no memory.
 */
export class EventSubscription {
  private readonly following: Following;

  constructor(
    { follower, filter, after }: SubscriptionOptions,
    private readonly stream: EventStream,
  ) {
    this.following = follower.follow({ filter: () => filter, after });
  }

  /** The stream has all matching events up to here; undefined before the start. */
  get position(): bigint | undefined {
    return this.following.position;
  }

  /**
   * Resolves when the stream is closed or `end` was called. Never rejects: while the database is unavailable, the stream waits.
   * @param begun called with the position where it begins
   */
  async run(begun: (position: bigint) => void): Promise<void> {
    await this.retry(async () => begun(await this.following.begin()));
    while (this.stream.isOpen) {
      const page = await this.retry(() => this.following.next());
      if (!page) break;
      const selection = render(page.events);
      if (selection) this.stream.send(selection);
      if (page.hasMore) await this.stream.drained();
    }
    this.end();
  }

  end(): void {
    this.following.end();
  }

  /** Returns undefined if the stream is closed before it succeeds. */
  private async retry<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    while (this.stream.isOpen) {
      try {
        return await work();
      } catch {
        await systemTimers.sleep(TRY_AGAIN_MILLISECONDS);
      }
    }
    return undefined;
  }
}
