import { EventSource } from 'eventsource';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { randomBetween } from './run-form.js';

const LONGEST_PIECE = 40_000;
/** In place of the three seconds for which a client should wait, so that many cuts take little time. */
const RETRY = 'retry: 5';

/** What is read by one client of a stream, whose connection is cut again and again after so many bytes as chance has it. */
export class CutReader {
  /** The ids that it was given, in the order in which it was. */
  readonly ids: string[] = [];
  private readonly source: EventSource;
  private isCut = true;

  /** @param cut called with each cut */
  constructor(
    origin: string,
    private readonly key: string,
    private readonly cut: () => void,
  ) {
    this.source = new EventSource(`${origin}/v1/events?after=earliest`, { fetch: (url, init) => this.fetch(url, init) });
    this.source.onmessage = ({ lastEventId }) => this.ids.push(lastEventId);
    closeAtEnd(() => this.close());
  }

  /** From now on it is left alone. */
  stopCutting(): void {
    this.isCut = false;
  }

  /** Whether it has given up, as clients do where the answer is no stream. */
  get hasGivenUp(): boolean {
    return this.source.readyState === EventSource.CLOSED;
  }

  close(): void {
    this.source.close();
  }

  private async fetch(url: string | URL, init: { readonly headers: Record<string, string>; readonly signal: unknown }): Promise<Response> {
    const aborted = new AbortController();
    (init.signal as AbortSignal).addEventListener('abort', () => aborted.abort());
    const response = await fetch(url, { headers: { ...init.headers, authorization: `Bearer ${this.key}` }, signal: aborted.signal });
    return response.body ? new Response(response.body.pipeThrough(this.pieces(() => aborted.abort())), response) : response;
  }

  /** Lets some of the bytes through, then cuts in the midst of whatever it is. */
  private pieces(abort: () => void): TransformStream<Uint8Array, Uint8Array> {
    let left = randomBetween(0, LONGEST_PIECE);
    return new TransformStream({
      transform: (chunk, controller) => {
        const text = Buffer.from(chunk)
          .toString('latin1')
          .replace(/^retry: \d+/, RETRY);
        const bytes = Buffer.from(text, 'latin1');
        controller.enqueue(bytes.subarray(0, this.isCut ? left : undefined));
        left -= bytes.length;
        if (!this.isCut || left > 0) return;
        this.cut();
        abort();
        controller.terminate();
      },
    });
  }
}
