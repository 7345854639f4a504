import { html, render } from './lit-html/lit-html.js';
import uPlot from './uplot.mjs';
import { bytes, count, milliseconds, percent } from './wording.mjs';

const SECONDS_SHOWN = 300;
const HEIGHT = 132;
const MEBIBYTE = 1_048_576;
// By position, so that lines differ by more than their colour; from the fourth on they are thick.
const STROKES = [{ border: 'solid' }, { border: 'dashed', dash: [7, 4] }, { border: 'dotted', dash: [2, 3] }];

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

/** The lines of a plot, each with its column, name and unit. */
function listLines({ left, right = left, lines }) {
  const entries = Object.entries(lines);
  return entries.map(([column, name], index) => ({ column, name, unit: (index === entries.length - 1 ? right : left).unit }));
}

/** Draws the plots into a place. The returned function shows new points, and how many requests had which status. */
export function plotsPanel(place) {
  const draw = (series, statuses) => render([...PLOTS.map((plot) => figure(plot, series)), statusList(statuses)], place);
  draw({}, []);
  const charts = Array.from(place.querySelectorAll('.drawing'), (drawing, index) => makeChart(PLOTS[index], drawing));
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

const fromZero = ({ least }) => ({ range: (_chart, _lowest, highest) => [0, Math.max(least, (highest ?? 0) * 1.12)] });
const texts = (unit) => (_chart, values) => values.map(unit);

/** Its legend shows the values under the pointer, or else the newest ones. */
function makeChart(plot, drawing) {
  const { left, right } = plot;
  const lines = listLines(plot);
  /** A colour of CSS in the colour scheme of the moment. */
  const colour = (css) => () => {
    drawing.style.color = css;
    return getComputedStyle(drawing).color;
  };
  const axis = ({ grid, ...options }) => ({
    stroke: colour('var(--quiet)'),
    font: '11px system-ui, sans-serif',
    gap: 4,
    space: 24,
    ticks: { show: false },
    grid: { stroke: colour('var(--line)'), width: 1, ...grid },
    ...options,
  });
  const options = {
    width: 240,
    height: HEIGHT,
    padding: [8, right ? 0 : 10, 0, 0],
    legend: {
      mount: (_chart, legend) => drawing.after(legend),
      markers: {
        width: (_chart, line) => (line > STROKES.length ? 2 : 1),
        stroke: (_chart, line) => `var(--line-${line})`,
        dash: (_chart, line) => STROKES[(line - 1) % STROKES.length].border,
        fill: 'none',
      },
    },
    cursor: { y: false, drag: { x: false }, points: { size: 6 } },
    scales: {
      x: { time: true, range: (_chart, _lowest, latest) => [latest - SECONDS_SHOWN + 1, latest] },
      y: fromZero(left),
      ...(right && { right: fromZero(right) }),
    },
    axes: [
      axis({ size: 26, space: 38, incrs: [60, 120, 300], grid: { show: false }, values: '{HH}:{mm}' }),
      axis({ size: 54, values: texts(left.unit), ...(left.steps && { incrs: left.steps }) }),
      ...(right ? [axis({ side: 1, scale: 'right', size: 46, grid: { show: false }, values: texts(right.unit) })] : []),
    ],
    series: [
      { label: 'Time', value: '{HH}:{mm}:{ss}' },
      ...lines.map(({ name, unit }, index) => ({
        label: name,
        value: (chart, _value, line, pointed) => unit(chart.data[line].at(pointed ?? -1) ?? null),
        scale: right && index === lines.length - 1 ? 'right' : 'y',
        stroke: colour(`var(--line-${index + 1})`),
        fill: index === 0 ? colour('color-mix(in srgb, var(--line-1) 10%, transparent)') : undefined,
        dash: STROKES[index % STROKES.length].dash,
        width: index < STROKES.length ? 1.75 : 3.5,
        points: { show: false },
      })),
    ],
  };
  const chart = new uPlot(options, [[], ...lines.map(() => [])], drawing);
  new ResizeObserver(([{ contentRect }]) => chart.setSize({ width: Math.max(120, Math.floor(contentRect.width)), height: HEIGHT })).observe(
    drawing,
  );
  return chart;
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
