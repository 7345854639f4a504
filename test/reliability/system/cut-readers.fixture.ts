import { EventSource } from 'eventsource';
import { until } from '#libs/testing';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import { publishedPositions } from '../history/final-state.fixture.js';
import { RecordingClients } from '../history/recording-clients.fixture.js';
import { randomBetween } from './run-form.js';
import type { SystemUnderTest } from './system-under-test.fixture.js';

const READERS = 20;
const WRITERS = 4;
const CUTS_BETWEEN_KILLS = 100;

const LONGEST_PIECE = 40_000;
/** In place of the three seconds for which a client should wait, so that many cuts take little time. */
const RETRY = 'retry: 5';

/** What is read by one client of a stream, whose connection is cut again and again after so many bytes as chance has it. */
class CutReader {
  /** The ids that it was given, in the order in which it was. */
  readonly ids: string[] = [];
  /** Unless it is left alone. */
  isCut = true;
  readonly source: EventSource;

  constructor(
    { origin, key }: SystemUnderTest,
    private readonly cut: () => void,
  ) {
    const read = async (
      url: string | URL,
      init: { readonly headers: Record<string, string>; readonly signal: unknown },
    ): Promise<Response> => {
      const aborted = new AbortController();
      (init.signal as AbortSignal).addEventListener('abort', () => aborted.abort());
      const response = await fetch(url, { headers: { ...init.headers, authorization: `Bearer ${key}` }, signal: aborted.signal });
      return response.body ? new Response(response.body.pipeThrough(this.pieces(() => aborted.abort())), response) : response;
    };
    this.source = new EventSource(`${origin}/v1/events?after=earliest`, { fetch: read });
    this.source.onmessage = ({ lastEventId }) => this.ids.push(lastEventId);
    closeAtEnd(() => this.source.close());
  }

  /** Whether it has given up, as clients do where the answer is no stream. */
  get hasGivenUp(): boolean {
    return this.source.readyState === EventSource.CLOSED;
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

/** What readers of the feed were given while they were cut off, and what they should have been given. */
export interface Cut {
  readonly expected: readonly string[];
  readonly readers: readonly Pick<CutReader, 'ids' | 'hasGivenUp'>[];
}

/** Cuts the connections of readers, and kills the service, while others write. */
export async function cutReaders(
  system: SystemUnderTest,
  wanted: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Cut> {
  let service = await system.launch(environment).listening;
  const writers = new RecordingClients(WRITERS, system);
  let cuts = 0;
  const readers = Array.from({ length: READERS }, () => new CutReader(system, () => (cuts += 1)));
  while (cuts < wanted) {
    const enough = Math.min(cuts + randomBetween(1, 2 * CUTS_BETWEEN_KILLS), wanted);
    await until(
      () => cuts >= enough,
      () => `${cuts} of ${enough} cuts`,
    );
    await service.stop('SIGKILL');
    service = await system.launch(environment).listening;
  }
  await writers.stop();
  for (const reader of readers) reader.isCut = false;
  const expected = await publishedPositions(system.databaseUrl);
  const last = BigInt(expected.at(-1) ?? 0);
  // What comes afterwards shows where they are, also to one that has missed the last of these.
  const client = new ApiClient(system.origin, system.key);
  await until(async () => {
    await client.post('/v1/pets', { name: 'afterwards', categoryId: 7 });
    return readers.every(({ ids, hasGivenUp }) => hasGivenUp || BigInt(ids.at(-1) ?? 0) > last);
  });
  const gaveUp = readers.map(({ hasGivenUp }) => hasGivenUp);
  for (const reader of readers) reader.source.close();
  await service.stop('SIGKILL');
  const seen = readers.map(({ ids }, index) => ({ hasGivenUp: gaveUp[index] ?? true, ids: ids.filter((id) => BigInt(id) <= last) }));
  return { expected, readers: seen };
}
