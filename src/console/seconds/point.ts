import { between, quantile } from './buckets.js';
import type { Reading } from './reading.js';

/** What a point tells, in order; docs/operations.md says what each is. Rates are those of a second; times are in milliseconds, sizes in bytes. */
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
  const seconds = (after.at - before.at) / 1_000;
  const perSecond = (count: number) => rounded(count / seconds);
  const requests = statusClasses(before, after);
  const decided = (outcome: string) => perSecond((after.decisions.get(outcome) ?? 0) - (before.decisions.get(outcome) ?? 0));
  const durations = between(before.durations, after.durations);
  const groups = after.groups - before.groups;
  const values: Record<(typeof POINT_COLUMNS)[number], number | null> = {
    time: rounded(time.getTime() / 1_000),
    success: perSecond(requests['2'] ?? 0),
    redirection: perSecond(requests['3'] ?? 0),
    clientError: perSecond(requests['4'] ?? 0),
    serverError: perSecond(requests['5'] ?? 0),
    aborted: perSecond(requests['a'] ?? 0),
    p50: milliseconds(quantile(durations, 0.5)),
    p99: milliseconds(quantile(durations, 0.99)),
    admitted: decided('admitted'),
    refused: decided('refused'),
    banned: decided('banned'),
    events: perSecond(after.events - before.events),
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
