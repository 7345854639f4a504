import { element, setAttribute, setText } from './elements.mjs';
import { clock } from './wording.mjs';
import uPlot from './uplot.mjs';

const SECONDS_SHOWN = 300;
const HEIGHT = 132;
const NEARLY_SEEN = { rootMargin: '400px' };
const FONT = '11px system-ui, sans-serif';
// By their place, so that lines differ by more than their colour.
const DASHES = [undefined, [7, 4], [2, 3], [10, 3, 2, 3], [4, 2]];

/**
 * A figure with a heading, lines over the last five minutes and a legend in words, which shows the newest values or those under the pointer.
 * `lines` name columns of the points; `on: 'right'` puts one on an axis of its own,
 * and `steps` are those that the left axis may go in.
 */
export function plot({ title, unit, lines, least, right, steps }) {
  const parts = partsOf(title, lines);
  let shown = { time: [] };
  let isSeen = false;
  const chart = new uPlot(
    optionsFor({ unit, lines, least, right, steps, onPoint: showLegend }),
    [[], ...lines.map(() => [])],
    parts.drawing,
  );

  function showLegend() {
    const index = chart?.cursor.idx ?? shown.time.length - 1;
    const texts = lines.map(({ column, text }) => text(shown[column]?.[index] ?? null));
    for (const [at, value] of parts.values.entries()) setText(value, texts[at]);
    setText(parts.when, typeof chart?.cursor.idx !== 'number' || shown.time.length === 0 ? '' : clock(shown.time[index] * 1_000));
  }

  function draw() {
    if (isSeen) chart.setData([shown.time, ...lines.map(({ column }) => shown[column] ?? [])]);
  }

  const seen = new IntersectionObserver((entries) => {
    isSeen = entries.at(-1).isIntersecting;
    draw();
  }, NEARLY_SEEN);
  seen.observe(parts.drawing);
  new ResizeObserver(([{ contentRect }]) => chart.setSize({ width: Math.max(120, Math.floor(contentRect.width)), height: HEIGHT })).observe(
    parts.drawing,
  );
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart.redraw(false));

  return {
    element: parts.figure,
    update(series) {
      shown = series;
      draw();
      showLegend();
      const latest = lines.map(({ name, column, text }) => `${name} ${text(series[column]?.at(-1) ?? null)}`).join(', ');
      setAttribute(parts.drawing, 'aria-label', `${title}, last five minutes. Now: ${latest}.`);
    },
  };
}

function partsOf(title, lines) {
  const values = lines.map(() => element('b'));
  const legend = lines.map(({ name }, index) => element('li', {}, swatchOf(index), `${name} `, values[index]));
  const when = element('span', { className: 'when' });
  const drawing = element('div', { className: 'drawing', role: 'img', 'aria-label': title });
  const heading = element('figcaption', {}, element('h3', {}, title), when);
  return {
    values,
    when,
    drawing,
    figure: element('figure', { className: 'plot' }, heading, drawing, element('ul', { className: 'legend' }, ...legend)),
  };
}

/** A piece of the line as it is drawn. */
function swatchOf(index) {
  const namespace = 'http://www.w3.org/2000/svg';
  const [swatch, stroke] = [document.createElementNS(namespace, 'svg'), document.createElementNS(namespace, 'path')];
  const attributes = { class: `swatch line-${index + 1}`, width: '26', height: '4', 'aria-hidden': 'true' };
  for (const [name, value] of Object.entries(attributes)) swatch.setAttribute(name, value);
  stroke.setAttribute('d', 'M0 2H26');
  if (DASHES[index]) stroke.setAttribute('stroke-dasharray', DASHES[index].join(' '));
  swatch.append(stroke);
  return swatch;
}

function optionsFor({ unit, lines, least, right, steps, onPoint }) {
  const fromZero = (atLeast) => (_chart, _lowest, highest) => [0, Math.max(atLeast, (highest ?? 0) * 1.12)];
  return {
    width: 240,
    height: HEIGHT,
    padding: [8, right ? 0 : 10, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: { setCursor: [onPoint] },
    scales: {
      x: { time: true, range: (_chart, _lowest, latest) => [latest - SECONDS_SHOWN + 1, latest] },
      y: { range: fromZero(least) },
      ...(right && { right: { range: fromZero(right.least) } }),
    },
    axes: [
      axis({ side: 2, size: 26, space: 38, incrs: [60, 120, 300], grid: { show: false }, values: (_chart, times) => times.map(minuteOf) }),
      axis({ side: 3, size: 54, space: 24, values: (_chart, values) => values.map(unit), ...(steps && { incrs: steps }) }),
      ...(right
        ? [
            axis({
              side: 1,
              scale: 'right',
              size: 46,
              space: 24,
              grid: { show: false },
              values: (_chart, values) => values.map(right.unit),
            }),
          ]
        : []),
    ],
    series: [{}, ...lines.map(lineOf)],
  };
}

function lineOf({ on }, index) {
  return {
    scale: on ?? 'y',
    stroke: () => colour(`--line-${index + 1}`),
    fill: index === 0 ? () => colour('--line-fill') : undefined,
    dash: DASHES[index],
    width: 1.75,
    points: { show: false },
  };
}

function axis(options) {
  return {
    stroke: () => colour('--quiet'),
    font: FONT,
    gap: 4,
    ticks: { show: false },
    ...options,
    grid: { stroke: () => colour('--grid'), width: 1, ...options.grid },
  };
}

function minuteOf(seconds) {
  return clock(seconds * 1_000).slice(0, seconds % 60 === 0 ? 5 : undefined);
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}
