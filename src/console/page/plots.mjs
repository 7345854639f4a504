import { html, nothing, render } from './lit-html/lit-html.js';
import { filling } from './tables.mjs';
import uPlot from './uplot.mjs';
import { bytes, clock, count, milliseconds, percent } from './wording.mjs';

const SECONDS_SHOWN = 300;
const HEIGHT = 132;
const MEBIBYTE = 1_048_576;
// By position, so that lines differ by more than their colour.
const DASHES = [undefined, [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];

/** A line has a name, a column of the points and a unit. `least` is the lowest top of an axis, `right` an axis for the last line. */
const PLOTS = [
  {
    title: 'Requests a second',
    least: 5,
    lines: [
      ['success', 'success', count],
      ['redirection', 'redirection', count],
      ['client’s error', 'clientError', count],
      ['server’s error', 'serverError', count],
      ['client left', 'aborted', count],
    ],
  },
  {
    title: 'Time to answer',
    least: 5,
    lines: [
      ['p50', 'p50', milliseconds],
      ['p99', 'p99', milliseconds],
    ],
  },
  {
    title: 'Limiter’s decisions a second',
    least: 5,
    lines: [
      ['admitted', 'admitted', count],
      ['refused', 'refused', count],
      ['banned', 'banned', count],
    ],
  },
  {
    title: 'Events and group size',
    least: 5,
    right: { least: 4 },
    lines: [
      ['events a second (left)', 'events', count],
      ['appends a commit (right)', 'groupSize', count],
    ],
  },
  {
    title: 'Commits and lock waits',
    least: 5,
    lines: [
      ['commit p99', 'commitP99', milliseconds],
      ['lock wait p99', 'lockWaitP99', milliseconds],
    ],
  },
  {
    title: 'Memory',
    least: 64 * MEBIBYTE,
    steps: Array.from({ length: 16 }, (_, power) => MEBIBYTE * 2 ** power),
    lines: [
      ['process', 'memory', bytes],
      ['heap', 'heap', bytes],
    ],
  },
  {
    title: 'Event loop',
    least: 5,
    right: { least: 1 },
    lines: [
      ['delay (left)', 'loopDelay', milliseconds],
      ['use (right)', 'loopUse', percent],
    ],
  },
];

/** Draws the plots into a place. The returned function shows new points, and how many requests had which status. */
export function plotsPanel(place) {
  let series = { time: [] };
  let statuses = [];
  const charts = [];
  const draw = () => render([...PLOTS.map((plot, index) => figure(plot, series, charts[index]?.cursor.idx)), statusList(statuses)], place);
  draw();
  for (const [index, drawing] of place.querySelectorAll('.drawing').entries()) charts.push(makeChart(PLOTS[index], drawing, draw));
  return (newSeries, newStatuses) => {
    [series, statuses] = [newSeries, newStatuses];
    draw();
    for (const [index, chart] of charts.entries()) {
      chart.setData([series.time, ...PLOTS[index].lines.map(([, column]) => series[column] ?? [])]);
    }
  };
}

/** A plot with a legend, which shows the values under the pointer or else the newest ones. */
function figure({ title, lines }, series, pointed) {
  const value = ([, column, text], index) => text(series[column]?.at(index) ?? null);
  const latest = lines.map((line) => `${line[0]} ${value(line, -1)}`).join(', ');
  const time = series.time[pointed];
  return html`<figure class="plot">
    <figcaption>
      <h3>${title}</h3>
      <small>${time === undefined ? nothing : clock(time * 1_000)}</small>
    </figcaption>
    <div class="drawing" role="img" aria-label="${title}, last five minutes. Now: ${latest}."></div>
    <ul class="legend">
      ${lines.map((line, index) => html`<li>${swatch(index)} ${line[0]} <b>${value(line, pointed ?? -1)}</b></li>`)}
    </ul>
  </figure>`;
}

/** A piece of the line as it is drawn. */
function swatch(index) {
  const dashes = DASHES[index]?.join(' ') ?? nothing;
  return html`<svg class="swatch line-${index + 1}" width="26" height="4" aria-hidden="true">
    <path d="M0 2H26" stroke-dasharray=${dashes} />
  </svg>`;
}

function makeChart({ lines, least, right, steps }, drawing, onPoint) {
  /** A colour of console.css in the colour scheme of the moment. */
  const colour = (name) => () => {
    drawing.style.color = `var(${name})`;
    return getComputedStyle(drawing).color;
  };
  const axis = (options) => ({
    stroke: colour('--quiet'),
    font: '11px system-ui, sans-serif',
    gap: 4,
    space: 24,
    ticks: { show: false },
    ...options,
    grid: { stroke: colour('--grid'), width: 1, ...options.grid },
  });
  const fromZero = (atLeast) => ({ range: (_chart, _lowest, highest) => [0, Math.max(atLeast, (highest ?? 0) * 1.12)] });
  const [[, , unit], [, , lastUnit]] = [lines[0], lines.at(-1)];
  const texts = (text) => (_chart, values) => values.map(text);
  const options = {
    width: 240,
    height: HEIGHT,
    padding: [8, right ? 0 : 10, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: { setCursor: [onPoint] },
    scales: {
      x: { time: true, range: (_chart, _lowest, latest) => [latest - SECONDS_SHOWN + 1, latest] },
      y: fromZero(least),
      ...(right && { right: fromZero(right.least) }),
    },
    axes: [
      axis({ side: 2, size: 26, space: 38, incrs: [60, 120, 300], grid: { show: false }, values: texts(minute) }),
      axis({ side: 3, size: 54, values: texts(unit), ...(steps && { incrs: steps }) }),
      ...(right ? [axis({ side: 1, scale: 'right', size: 46, grid: { show: false }, values: texts(lastUnit) })] : []),
    ],
    series: [
      {},
      ...lines.map((_line, index) => ({
        scale: right && index === lines.length - 1 ? 'right' : 'y',
        stroke: colour(`--line-${index + 1}`),
        fill: index === 0 ? colour('--line-fill') : undefined,
        dash: DASHES[index],
        width: 1.75,
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

function minute(seconds) {
  return clock(seconds * 1_000).slice(0, seconds % 60 === 0 ? 5 : undefined);
}

const STATUS_LINES = { 2: 'line-1', 3: 'line-2', 4: 'line-3', 5: 'line-4' };

/** How many requests had which status since the start, each with a bar as long as its share of the most frequent one. */
function statusList(statuses) {
  const greatest = Math.max(1, ...statuses.map(({ total }) => total));
  const item = ({ status, total }) =>
    html`<li>
      <b>${status === 'aborted' ? 'client left' : status}</b>
      <span class="bar ${STATUS_LINES[status[0]] ?? 'line-5'}">${filling(total / greatest)}</span>
      <span class="number">${count(total)}</span>
    </li>`;
  return html`<section class="plot">
    <h3>Requests by status since the start</h3>
    ${
      statuses.length > 0
        ? html`<ul class="shares">
            ${statuses.map(item)}
          </ul>`
        : html`<p class="under">None yet.</p>`
    }
  </section>`;
}
