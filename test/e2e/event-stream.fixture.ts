import { request as sendRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { expectDocumented } from './openapi-contract.fixture.js';

export const STREAM = 'text/event-stream';
export const BATCH = 'application/cloudevents-batch+json';

/** An event as it leaves the service; numbers in `data` beyond 2^53 lose their last digits. */
export interface CloudEvent {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly dataschema: string;
  readonly sequence: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The fields of what stands between two empty lines of a stream, a comment under the empty name. */
export type Block = Readonly<Record<string, string>>;

export interface StreamOptions {
  readonly key: string;
  /** Such as `?after=earliest`. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of a stream that reads it as bytes, so that a test sees all that is sent. */
export class EventStreamClient {
  private readonly blocks: Block[] = [];
  private unfinished = '';
  private wake: () => void = () => undefined;
  private hasEnded = false;
  /** Whether the stream was ended in good order, once it is over. */
  isComplete = false;

  private constructor(private readonly response: IncomingMessage) {
    closeAtEnd(() => this.close());
    const { statusCode: status = 0, headers } = response;
    // What has no end is held against the document when it begins.
    if (headers['content-type']?.startsWith(STREAM)) expectDocumented('GET', '/v1/events', { status, headers, text: '' });
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.collect(text));
    response.on('error', () => undefined);
    response.on('close', () => {
      this.hasEnded = true;
      this.isComplete = response.complete;
      this.wake();
    });
  }

  /** Resolves once there is an answer, also where that is no stream. */
  static open(origin: string, { key, query = '', headers = {} }: StreamOptions): Promise<EventStreamClient> {
    return new Promise((resolve, reject) => {
      const sent = { accept: STREAM, authorization: `Bearer ${key}`, ...headers };
      sendRequest(`${origin}/v1/events${query}`, { agent: false, headers: sent })
        .on('response', (response) => resolve(new EventStreamClient(response)))
        .on('error', reject)
        .end();
    });
  }

  get status(): number | undefined {
    return this.response.statusCode;
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers;
  }

  /** The next block. @throws Error where the stream is over. */
  async next(): Promise<Block> {
    for (;;) {
      const block = this.blocks.shift();
      if (block) return block;
      if (this.hasEnded) throw new Error('The stream is over.');
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** The next so many events; what is none is passed over. */
  async events(count: number): Promise<CloudEvent[]> {
    const events: CloudEvent[] = [];
    while (events.length < count) {
      const { event, id, data } = await this.next();
      if (event !== undefined || id === undefined) continue;
      events.push(JSON.parse(data ?? '') as CloudEvent);
    }
    return events;
  }

  /** Resolves when the stream is over. */
  async over(): Promise<void> {
    while (!this.hasEnded) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  stopReading(): void {
    this.response.pause();
  }

  readOn(): void {
    this.response.resume();
  }

  close(): void {
    this.response.destroy();
  }

  private collect(text: string): void {
    const parts = (this.unfinished + text).split('\n\n');
    this.unfinished = parts.pop() ?? '';
    this.blocks.push(...parts.map(blockOf));
    this.wake();
  }
}

function blockOf(text: string): Block {
  return Object.fromEntries(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).replace(/^ /, '')]),
  );
}
