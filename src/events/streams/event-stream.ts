import type { ServerResponse } from 'node:http';
import type { Following, PublicEvent } from '#libs/http';
import { systemTimers, type Clock } from '#libs/observability';
import { hasElapsed } from './open-streams.js';

/** Headers of a stream; the last one tells proxies not to buffer. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

const RETRY_MILLISECONDS = 3_000;
// Leaves a comment at least every 15 s, checked four times a second.
const SILENCE_MILLISECONDS = 14_750;
const MAX_UNSENT_BYTES = 1_048_576;
const TRY_AGAIN_MILLISECONDS = 250;

/** Events as server-sent events (HTML, section 9.2), each with its position as id. */
const texts = new WeakMap<readonly PublicEvent[], Buffer>();

/** Writes a response of server-sent events, unbuffered. */
export class EventStream {
  private writtenAt: number;

  /** @param id position that the client already has */
  constructor(
    private readonly response: ServerResponse,
    private id: bigint | undefined,
    private readonly clock: Clock,
  ) {
    this.writtenAt = clock.now().getTime();
    // A lost connection is handled by `close`.
    response.on('error', () => undefined);
    response.write(`retry: ${RETRY_MILLISECONDS}\n\n`);
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  /** Resolves when the socket has drained or is closed. */
  async drained(): Promise<void> {
    if (!this.response.writableNeedDrain || !this.isOpen) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        this.response.off('drain', settle).off('close', settle);
        resolve();
      };
      this.response.on('drain', settle).on('close', settle);
    });
  }

  /**
   * Writes events, rendered once for all streams that get the same array. Closes the connection of a client that leaves too much unread; it
   * resumes when it reconnects.
   */
  send(events: readonly PublicEvent[]): void {
    const last = events.at(-1);
    if (!last || !this.isOpen) return;
    const text = texts.get(events) ?? Buffer.from(events.map(({ position, json }) => `id: ${position}\ndata: ${json}\n\n`).join(''));
    texts.set(events, text);
    this.write(text);
    this.id = last.position;
    if (this.response.writableLength > MAX_UNSENT_BYTES) this.response.destroy();
  }

  /** Sends a position up to which there is no other matching event, from which the client can resume. */
  bookmark(position: bigint): void {
    if (!this.isOpen) return;
    this.write(`event: bookmark\nid: ${position}\ndata: {"position":"${position}"}\n\n`);
    this.id = position;
  }

  /**
   * After 15 s of silence sends a bookmark if the client is behind, else a comment; nothing while data is unread.
   * @param position up to which there is no other matching event, if known
   */
  keepAlive(position: bigint | undefined): void {
    if (!this.isOpen || this.response.writableLength > 0 || !hasElapsed(this.writtenAt, SILENCE_MILLISECONDS, this.clock.now())) return;
    if (position !== undefined && (this.id === undefined || position > this.id)) this.bookmark(position);
    else this.write(':\n\n');
  }

  end(): void {
    if (this.isOpen) this.response.end();
  }

  private write(text: string | Buffer): void {
    this.response.write(text);
    this.writtenAt = this.clock.now().getTime();
  }
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
    stream.send(page.events);
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
