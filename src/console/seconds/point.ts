import { between, quantile } from './buckets.js';
import type { Reading } from './reading.js';

/** What a point tells, in order: counts of that second, times in milliseconds, sizes in bytes, and the time in seconds since 1970. */
export const POINT_COLUMNS = [
  'time',
  'success',
  'redirection',
  'clientError',
  'serverError',
  'aborted',
  'p50',
  'p99',
  'admitted',
  'refused',
  'banned',
  'events',
  'groupSize',
  'commitP99',
  'lockWaitP99',
  'memory',
  'heap',
  'loopDelay',
  'loopUse',
] as const;

/** The values of a second, in the order of the columns; null where there is nothing to tell. */
export type Point = readonly (number | null)[];

/** How the process is. */
export interface ProcessState {
  readonly time: Date;
  readonly memory: number;
  readonly heap: number;
  readonly loopDelay: number;
  readonly loopUse: number;
}

/** What happened between two readings, which are about a second apart. */
export function pointBetween(before: Reading, after: Reading, { time, ...state }: ProcessState): Point {
  const requests = statusClasses(before, after);
  const decided = (outcome: string) => (after.decisions.get(outcome) ?? 0) - (before.decisions.get(outcome) ?? 0);
  const durations = between(before.durations, after.durations);
  const groups = after.groups - before.groups;
  const values: Record<(typeof POINT_COLUMNS)[number], number | null> = {
    time: rounded(time.getTime() / 1_000),
    success: requests['2'] ?? 0,
    redirection: requests['3'] ?? 0,
    clientError: requests['4'] ?? 0,
    serverError: requests['5'] ?? 0,
    aborted: requests['a'] ?? 0,
    p50: milliseconds(quantile(durations, 0.5)),
    p99: milliseconds(quantile(durations, 0.99)),
    admitted: decided('admitted'),
    refused: decided('refused'),
    banned: decided('banned'),
    events: after.events - before.events,
    groupSize: groups === 0 ? null : rounded((after.appends - before.appends) / groups),
    commitP99: milliseconds(quantile(between(before.commits, after.commits), 0.99)),
    lockWaitP99: milliseconds(quantile(between(before.lockWaits, after.lockWaits), 0.99)),
    memory: state.memory,
    heap: state.heap,
    loopDelay: rounded(state.loopDelay),
    loopUse: rounded(state.loopUse),
  };
  return POINT_COLUMNS.map((column) => values[column]);
}

/** Requests by the first character of their status: 2 to 5, or a for `aborted`. */
function statusClasses(before: Reading, after: Reading): Partial<Record<string, number>> {
  const classes: Partial<Record<string, number>> = {};
  for (const [status, count] of after.statuses) {
    const name = status.charAt(0);
    classes[name] = (classes[name] ?? 0) + count - (before.statuses.get(status) ?? 0);
  }
  return classes;
}

function milliseconds(seconds: number | null): number | null {
  return seconds === null ? null : rounded(seconds * 1_000);
}

/** Three decimals are more than anybody reads. */
function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
