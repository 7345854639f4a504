import { html, render } from './lit-html/lit-html.js';
import uPlot from './uplot.mjs';
import { count, milliseconds } from './wording.mjs';

const HEIGHT = 160;
const SECONDS_SHOWN = 300;
// Lines differ by more than their colour.
const DASHES = [[], [7, 4], [2, 3], [12, 3], [1, 6]];

/** `lines` are names by columns of the points. */
const PLOTS = [
  {
    title: 'Requests a second',
    format: count,
    lines: { success: '2xx', redirection: '3xx', clientError: '4xx', serverError: '5xx', aborted: 'client left', refused: 'limited' },
  },
  { title: 'Response time', format: milliseconds, lines: { p50: 'p50', p99: 'p99' } },
];

/** Draws the plots into a place. The returned function shows new points. */
export function plotsPanel(place) {
  const draw = (series) =>
    render(
      PLOTS.map((plot) => figure(plot, series)),
      place,
    );
  draw({});
  const charts = Array.from(place.querySelectorAll('.drawing'), (drawing, index) => makeChart(PLOTS[index], drawing));
  return (series) => {
    draw(series);
    for (const [index, chart] of charts.entries()) {
      chart.setData([series.time ?? [], ...Object.keys(PLOTS[index].lines).map((column) => series[column] ?? [])]);
    }
  };
}

function figure({ title, format, lines }, series) {
  const latest = Object.entries(lines).map(([column, name]) => `${name} ${format(series[column]?.at(-1))}`);
  return html`<figure>
    <figcaption>${title}</figcaption>
    <div class="drawing" role="img" aria-label="${title}, last five minutes. Now: ${latest.join(', ')}."></div>
  </figure>`;
}

/** Makes a plot whose legend shows the values under the pointer, or else the newest ones. */
function makeChart({ format, lines }, drawing) {
  // The colour of the moment, of light or dark.
  const colour = (name) => () => {
    drawing.style.color = `var(${name})`;
    return getComputedStyle(drawing).color;
  };
  const axis = {
    stroke: colour('--pico-muted-color'),
    grid: { stroke: colour('--pico-muted-border-color'), width: 1 },
    ticks: { show: false },
  };
  const line = ([, label], index) => ({
    label,
    value: (chart, _value, series, pointed) => format(chart.data[series].at(pointed ?? -1)),
    stroke: colour(`--line-${index + 1}`),
    dash: DASHES[index % DASHES.length],
    width: 2,
    points: { show: false },
  });
  const options = {
    width: 300,
    height: HEIGHT,
    legend: { mount: (_chart, legend) => drawing.after(legend) },
    cursor: { y: false, drag: { x: false } },
    scales: {
      x: { range: (_chart, _first, last) => [last - SECONDS_SHOWN + 1, last] },
      y: { range: (_chart, _lowest, highest) => [0, Math.max(5, (highest ?? 0) * 1.1)] },
    },
    axes: [
      { ...axis, values: '{HH}:{mm}', incrs: [60, 120] },
      { ...axis, size: 60, values: (_chart, values) => values.map(format) },
    ],
    series: [{ label: 'Time', value: '{HH}:{mm}:{ss}' }, ...Object.entries(lines).map(line)],
  };
  const chart = new uPlot(options, [[], ...Object.keys(lines).map(() => [])], drawing);
  new ResizeObserver(([{ contentRect }]) => chart.setSize({ width: Math.max(120, contentRect.width), height: HEIGHT })).observe(drawing);
  return chart;
}
