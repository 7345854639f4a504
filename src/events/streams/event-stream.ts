import type { ServerResponse } from 'node:http';
import { hasElapsed } from './open-streams.js';
import type { Selection } from './event-subscription.js';

/** Headers of a stream; the last one tells proxies not to buffer. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

const RETRY_MILLISECONDS = 3_000;
// Leaves a comment at least every 15 s, checked four times a second.
const SILENCE_MILLISECONDS = 14_750;
const MOST_UNSENT_BYTES = 1_048_576;

/** Writes a response of server-sent events, unbuffered. */
export class EventStream {
  private writtenAt: number;

  /** @param id position that the client already has */
  constructor(
    private readonly response: ServerResponse,
    private id: bigint | undefined,
    now: Date,
  ) {
    this.writtenAt = now.getTime();
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

  /** Writes events. Closes the connection of a client that leaves too much unread; it resumes when it reconnects. */
  send({ text, last }: Selection, now: Date): void {
    if (!this.isOpen) return;
    this.write(text, now);
    this.id = last;
    if (this.response.writableLength > MOST_UNSENT_BYTES) this.response.destroy();
  }

  /** Sends a position up to which there is no other matching event, from which the client can resume. */
  bookmark(position: bigint, now: Date): void {
    if (!this.isOpen) return;
    this.write(`event: bookmark\nid: ${position}\ndata: {"position":"${position}"}\n\n`, now);
    this.id = position;
  }

  /**
   * After 15 s of silence sends a bookmark if the client is behind, else a comment; nothing while data is unread.
   * @param position up to which there is no other matching event, if known
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
