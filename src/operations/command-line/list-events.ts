import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cells, type CliContext } from '#libs/cli';
import { stringifyJson } from '#libs/http';
import { EventRegistry, EventStore, type RecordedEvent } from '#libs/event-sourcing';

const PAGE_SIZE = 1_000n;

export interface EventListOptions {
  readonly stream?: string;
  readonly type?: string;
  readonly after: bigint;
  readonly limit: bigint;
}

/** Prints events without their secrets, ascending by position. */
export async function listEvents(context: CliContext, { stream, type, after, limit }: EventListOptions): Promise<void> {
  const store = await context.get(EventStore);
  const registry = await context.get(EventRegistry);
  const filter = { streams: stream === undefined ? undefined : [stream], types: type === undefined ? undefined : [type] };
  const print = context.printRows(toCells);
  for (let position = after, left = limit; left > 0n;) {
    const size = Number(left < PAGE_SIZE ? left : PAGE_SIZE);
    const page = await store.readAll({ ...filter, after: position, limit: size });
    print(page.map((event) => ({ ...event, data: registry.withoutSecrets(event) })));
    if (page.length < size) break;
    // A reader that has gone away is noticed between two turns of the event loop.
    await nextTurn();
    position = page.at(-1)?.position ?? position;
    left -= BigInt(size);
  }
}

function toCells({ position, recordedAt, stream, version, type, metadata, data }: RecordedEvent): Cells {
  return {
    position,
    at: recordedAt,
    stream,
    type,
    by: metadata.actor,
    data: stringifyJson(data),
    version,
  };
}
