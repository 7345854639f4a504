import type { ServerResponse } from 'node:http';
import { hasElapsed } from './open-streams.js';
import type { Selection } from './event-subscription.js';

/** Headers of a stream beside those of every answer; the last one tells proxies to pass it on as it comes. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

const RETRY_MILLISECONDS = 3_000;
// So that a comment is there within 15 s although it is looked for four times a second.
const SILENCE_MILLISECONDS = 14_750;
const MOST_UNSENT_BYTES = 1_048_576;

/** The answer that is a stream of server-sent events. What is written goes out at once. */
export class EventStream {
  private writtenAt: number;

  /**
   * @param id what its client knows already
   * @param now when it begins
   */
  constructor(
    private readonly response: ServerResponse,
    private id: bigint | undefined,
    now: Date,
  ) {
    this.writtenAt = now.getTime();
    // A connection may be lost while it is written to; that it has closed is told by another event.
    response.on('error', () => undefined);
    response.write(`retry: ${RETRY_MILLISECONDS}\n\n`);
  }

  get isOpen(): boolean {
    return !this.response.writableEnded && !this.response.destroyed;
  }

  /** Resolves when the client has taken what was written, or is gone. */
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

  /** Writes events, or cuts the connection of a client that leaves too much unread: it resumes when it comes again. */
  send({ text, last }: Selection, now: Date): void {
    if (!this.isOpen) return;
    this.write(text, now);
    this.id = last;
    if (this.response.writableLength > MOST_UNSENT_BYTES) this.response.destroy();
  }

  /** Tells the client up to where nothing else was meant, so that it need not go through that again. */
  bookmark(position: bigint, now: Date): void {
    if (!this.isOpen) return;
    this.write(`event: bookmark\nid: ${position}\ndata: {"position":"${position}"}\n\n`, now);
    this.id = position;
  }

  /**
   * Breaks a silence of 15 s: by a bookmark where the client is behind, else by a comment. Who has left something unread gets neither.
   * @param position up to which nothing else was meant, where that is known
   */
  keepAlive(position: bigint | undefined, now: Date): void {
    if (!this.isOpen || this.response.writableLength > 0 || !hasElapsed(this.writtenAt, SILENCE_MILLISECONDS, now)) return;
    if (position !== undefined && (this.id === undefined || position > this.id)) this.bookmark(position, now);
    else this.write(':\n\n', now);
  }

  end(): void {
    if (this.isOpen) this.response.end();
  }

  private write(text: string | Buffer, now: Date): void {
    this.response.write(text);
    this.writtenAt = now.getTime();
  }
}
