import { byStream } from './by-stream.js';
import type { RecordedEvent } from './event.js';

interface Batch {
  readonly streams: Set<string>;
  readonly events: Promise<ReadonlyMap<string, readonly RecordedEvent[]>>;
}

/**
 * Reads streams together that are asked for in the same turn of the event loop, as commands for many aggregates do whose events are
 * then committed together. Nothing is kept for a later turn: what was appended before the question is in the answer.
 */
export class StreamReads {
  private open: Batch | undefined;

  /** @param read the events of distinct streams, those of each in their order */
  constructor(private readonly read: (streams: readonly string[]) => Promise<readonly RecordedEvent[]>) {}

  /** The events of a stream in their order. @throws what the reading that it became part of throws */
  async of(stream: string): Promise<RecordedEvent[]> {
    const batch = (this.open ??= this.begin());
    batch.streams.add(stream);
    return [...((await batch.events).get(stream) ?? [])];
  }

  private begin(): Batch {
    const streams = new Set<string>();
    const events = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.open = undefined;
      return byStream(await this.read([...streams]));
    });
    return { streams, events };
  }
}
