const FIRST_SIZE = 8;
const LARGEST_SIZE = 1_000;
// Half of what a transaction may take, so that a slow disk or a busy machine does not carry it over the limit.
const AIM_MILLISECONDS = 25;
const LARGEST_GROWTH = 2;
const SHORTEST_PAUSE_MILLISECONDS = 5;

/** Keeps transactions under 50 ms: sizes the next one by how long the last one took, and leaves time for other writers between. */
export class TransactionPace {
  private currentSize = FIRST_SIZE;

  /** How many animals the next transaction should hold. */
  get size(): number {
    return this.currentSize;
  }

  /** Takes in how long a transaction took. Returns for how many milliseconds to leave the database to others. */
  record(animals: number, milliseconds: number): number {
    const fitting = Math.floor((animals * AIM_MILLISECONDS) / Math.max(milliseconds, 0.01));
    this.currentSize = Math.max(1, Math.min(fitting, this.currentSize * LARGEST_GROWTH, LARGEST_SIZE));
    return Math.max(SHORTEST_PAUSE_MILLISECONDS, milliseconds / 2);
  }
}
