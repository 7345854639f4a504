import { DecidedStream } from './decided-stream.js';
import type { Decider } from './decider.js';
import type { DomainEvent, EventMetadata, RecordedEvent } from './event.js';
import { ConcurrencyError } from './event-store.errors.js';
import type { EventStore } from './event-store.js';

const MAX_ATTEMPTS = 5;

/** One command for one existing stream. */
export interface DeciderExecution<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  readonly command: Command;
  readonly metadata: EventMetadata;
}

/**
 * Loads a stream, decides and appends at the version that was read; starts over when another writer came first.
 * An empty stream is decided on the decider's initial state.
 * @returns the state after the command and the events that were recorded, none when nothing changed.
 * @throws ConcurrencyError when other writers came first five times in a row.
 */
export async function executeDecider<State, Command, Event extends DomainEvent>(
  store: EventStore,
  { decider, stream, command, metadata }: DeciderExecution<State, Command, Event>,
): Promise<{ state: State; events: readonly RecordedEvent[] }> {
  return retryConflicts(async () => {
    const decided = await DecidedStream.read(store, decider, stream);
    const appends = decided.decide(command);
    const { events } = appends.length === 0 ? { events: [] } : await store.append(appends, { metadata });
    return { state: decided.state, events };
  });
}

/**
 * Reads, decides and appends once more when another writer came first, as `attempt` does it; for what concerns several streams.
 * @throws ConcurrencyError when other writers came first five times in a row.
 */
export async function retryConflicts<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || count === MAX_ATTEMPTS) throw error;
    }
  }
}
