import { plot } from './plot.mjs';
import { bytes, count, milliseconds, percent } from './wording.mjs';

const MEBIBYTE = 1_048_576;
const line = (name, column, text, on) => ({ name, column, text, ...(on && { on }) });

const PLOTS = [
  {
    title: 'Requests a second',
    unit: count,
    least: 5,
    lines: [
      line('success', 'success', count),
      line('redirection', 'redirection', count),
      line('client’s error', 'clientError', count),
      line('server’s error', 'serverError', count),
      line('client left', 'aborted', count),
    ],
  },
  {
    title: 'Time to answer',
    unit: milliseconds,
    least: 5,
    lines: [line('p50', 'p50', milliseconds), line('p99', 'p99', milliseconds)],
  },
  {
    title: 'Limiter’s decisions a second',
    unit: count,
    least: 5,
    lines: [line('admitted', 'admitted', count), line('refused', 'refused', count), line('banned', 'banned', count)],
  },
  {
    title: 'Events and group size',
    unit: count,
    least: 5,
    right: { unit: count, least: 4 },
    lines: [line('events a second (left)', 'events', count), line('appends a commit (right)', 'groupSize', count, 'right')],
  },
  {
    title: 'Commits and lock waits',
    unit: milliseconds,
    least: 5,
    lines: [line('commit p99', 'commitP99', milliseconds), line('lock wait p99', 'lockWaitP99', milliseconds)],
  },
  {
    title: 'Memory',
    unit: bytes,
    least: 64 * MEBIBYTE,
    steps: Array.from({ length: 16 }, (_, power) => MEBIBYTE * 2 ** power),
    lines: [line('process', 'memory', bytes), line('heap', 'heap', bytes)],
  },
  {
    title: 'Event loop',
    unit: milliseconds,
    least: 5,
    right: { unit: percent, least: 1 },
    lines: [line('delay (left)', 'loopDelay', milliseconds), line('use (right)', 'loopUse', percent, 'right')],
  },
];

/** Puts the plots into a place; the answer shows points in them. */
export function plots(place) {
  const all = PLOTS.map(plot);
  place.append(...all.map(({ element }) => element));
  return (series) => {
    for (const one of all) one.update(series);
  };
}
