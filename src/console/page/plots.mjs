import { listLines, makeChart } from './chart.mjs';
import { html, render } from './lit-html/lit-html.js';
import { bytes, count, milliseconds, percent } from './wording.mjs';

const SECONDS_SHOWN = 300;
const MEBIBYTE = 1_048_576;

/** The horizontal axis: seconds since 1970. */
const SECONDS = {
  scale: { time: true, range: (_chart, _lowest, latest) => [latest - SECONDS_SHOWN + 1, latest] },
  axis: { space: 38, incrs: [60, 120, 300], values: '{HH}:{mm}' },
  series: { label: 'Time', value: '{HH}:{mm}:{ss}' },
};

/** `lines` are names by columns of the points. `least` is the lowest top of an axis, `right` an axis for the last line. */
const PLOTS = [
  {
    title: 'Requests a second',
    left: { least: 5, unit: count },
    lines: {
      success: 'success',
      redirection: 'redirection',
      clientError: 'client’s error',
      serverError: 'server’s error',
      aborted: 'client left',
    },
  },
  { title: 'Time to answer', left: { least: 5, unit: milliseconds }, lines: { p50: 'p50', p99: 'p99' } },
  {
    title: 'Limiter’s decisions a second',
    left: { least: 5, unit: count },
    lines: { admitted: 'admitted', refused: 'refused', banned: 'banned' },
  },
  {
    title: 'Events and group size',
    left: { least: 5, unit: count },
    right: { least: 4, unit: count },
    lines: { events: 'events a second (left)', groupSize: 'appends a commit (right)' },
  },
  {
    title: 'Commits and lock waits',
    left: { least: 5, unit: milliseconds },
    lines: { commitP99: 'commit p99', lockWaitP99: 'lock wait p99' },
  },
  {
    title: 'Memory',
    left: { least: 64 * MEBIBYTE, unit: bytes, steps: Array.from({ length: 16 }, (_, power) => MEBIBYTE * 2 ** power) },
    lines: { memory: 'process', heap: 'heap' },
  },
  {
    title: 'Event loop',
    left: { least: 5, unit: milliseconds },
    right: { least: 1, unit: percent },
    lines: { loopDelay: 'delay (left)', loopUse: 'use (right)' },
  },
];

/** Draws the plots into a place. The returned function shows new points, and how many requests had which status. */
export function plotsPanel(place) {
  const draw = (series, statuses) => render([...PLOTS.map((plot) => figure(plot, series)), statusList(statuses)], place);
  draw({}, []);
  const charts = Array.from(place.querySelectorAll('.drawing'), (drawing, index) => makeChart({ x: SECONDS, ...PLOTS[index] }, drawing));
  return (series, statuses) => {
    draw(series, statuses);
    for (const [index, chart] of charts.entries()) {
      chart.setData([series.time, ...Object.keys(PLOTS[index].lines).map((column) => series[column] ?? [])]);
    }
  };
}

function figure(plot, series) {
  const latest = listLines(plot).map(({ name, column, unit }) => `${name} ${unit(series[column]?.at(-1) ?? null)}`);
  return html`<figure class="card plot">
    <h3>${plot.title}</h3>
    <div class="drawing" role="img" aria-label="${plot.title}, last five minutes. Now: ${latest.join(', ')}."></div>
  </figure>`;
}

/** Lines whose colours stand for statuses, by their first digit. */
const STATUS_LINES = { 2: 1, 3: 2, 4: 3, 5: 4 };

/** How many requests had which status since the start, each with a bar as long as its share of the most frequent one. */
function statusList(statuses) {
  const greatest = Math.max(1, ...statuses.map(({ total }) => total));
  // As a property: the page's policy forbids attributes of style.
  const bar = ({ status, total }) =>
    html`<progress
      aria-hidden="true"
      max=${greatest}
      value=${total}
      .style="--ink: var(--line-${STATUS_LINES[status[0]] ?? 5})"
    ></progress>`;
  const item = (each) =>
    html`<li>
      <b>${each.status === 'aborted' ? 'client left' : each.status}</b>
      ${bar(each)}
      <span class="number">${count(each.total)}</span>
    </li>`;
  return html`<section class="card">
    <h3>Requests by status since the start</h3>
    <ul class="shares">
      ${statuses.map(item)}
    </ul>
  </section>`;
}
