import { setTimeout as delay } from 'node:timers/promises';
import { Aggregate } from './aggregate.js';
import type { Decider } from './decider.js';
import type { DomainEvent, EventMetadata, RecordedEvent } from './event.js';
import { ConcurrencyError } from './event-store.errors.js';
import type { EventStore } from './event-store.js';

// As long as a write waits for its turn at most.
const PATIENCE_MILLISECONDS = 5_000;
const LONGEST_PAUSE_MILLISECONDS = 50;

/** One command for one existing stream. */
export interface DeciderExecution<State, Command, Event extends DomainEvent> {
  readonly decider: Decider<State, Command, Event>;
  readonly stream: string;
  readonly command: Command;
  readonly metadata: EventMetadata;
  /** For how many milliseconds it is tried again where another writer came first. Default 5,000. */
  readonly patience?: number;
}

/**
 * Loads a stream, decides and appends at the version that was read; starts over when another writer came first.
 * An empty stream is decided on the decider's initial state.
 * @returns the state after the command and the events that were recorded, none when nothing changed.
 * @throws ConcurrencyError when other writers came first until the patience ended.
 */
export async function executeDecider<State, Command, Event extends DomainEvent>(
  store: EventStore,
  { decider, stream, command, metadata, patience }: DeciderExecution<State, Command, Event>,
): Promise<{ state: State; events: readonly RecordedEvent[] }> {
  return retryConflicts(async () => {
    const decided = await Aggregate.read(store, decider, stream);
    const appends = decided.decide(command);
    const { events } = appends.length === 0 ? { events: [] } : await store.append(appends, { metadata });
    return { state: decided.state, events };
  }, patience);
}

/**
 * Reads, decides and appends again when another writer came first, as `attempt` does it; for what concerns several streams. The pause
 * before each further attempt is random, so that those who came together do not meet again.
 * @param patience for how many milliseconds; the last attempt may end later
 * @throws ConcurrencyError when other writers came first until then.
 */
export async function retryConflicts<Result>(attempt: () => Promise<Result>, patience = PATIENCE_MILLISECONDS): Promise<Result> {
  const deadline = performance.now() + patience;
  for (let count = 0; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || performance.now() > deadline) throw error;
    }
    await delay(Math.random() * Math.min(2 ** count, LONGEST_PAUSE_MILLISECONDS));
  }
}
