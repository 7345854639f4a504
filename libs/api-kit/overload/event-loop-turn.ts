/**
 * How long the running turn of the event loop has been handling requests, in milliseconds, when one is looked at that was
 * taken up at `now` (of `performance.now()`). 0 for the first of a turn.
 */
export type TurnTime = (now: number) => number;

/** Measures turns from the first request in each of them. Time in which the process was idle or stopped is not in it. */
export function measureTurns(): TurnTime {
  let startedAt: number | undefined;
  const end = (): void => {
    startedAt = undefined;
  };
  return (now) => {
    if (startedAt !== undefined) return now - startedAt;
    startedAt = now;
    setImmediate(end);
    return 0;
  };
}
