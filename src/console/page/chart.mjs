import uPlot from './uplot.mjs';

const HEIGHT = 132;
// By position, so that lines differ by more than their colour; from the fourth on they are thick.
const STROKES = [{ border: 'solid' }, { border: 'dashed', dash: [7, 4] }, { border: 'dotted', dash: [2, 3] }];

/** The lines of a plot, each with its column, name and unit. */
export function listLines({ left, right = left, lines }) {
  const entries = Object.entries(lines);
  return entries.map(([column, name], index) => ({ column, name, unit: (index === entries.length - 1 ? right : left).unit }));
}

const fromZero = ({ least }) => ({ range: (_chart, _lowest, highest) => [0, Math.max(least, (highest ?? 0) * 1.12)] });
const texts = (unit) => (_chart, values) => values.map(unit);

/** Returns a function that makes the colour of a CSS value in the colour scheme of the moment. */
const colourIn = (drawing) => (css) => () => {
  drawing.style.color = css;
  return getComputedStyle(drawing).color;
};

/** The looks of a line, or of a bar: each further bar is half as wide and stands in front. */
function strokeOf(index, hasBars, colour) {
  const ink = colour(`var(--line-${index + 1})`);
  if (hasBars) return { stroke: ink, fill: ink, width: 0, paths: uPlot.paths.bars({ size: [0.8 / 2 ** index, 32 / 2 ** index] }) };
  return {
    stroke: ink,
    fill: index === 0 ? colour('color-mix(in srgb, var(--line-1) 10%, transparent)') : undefined,
    dash: STROKES[index % STROKES.length].dash,
    width: index < STROKES.length ? 1.75 : 3.5,
  };
}

/**
 * Draws a plot, whose legend shows the values under the pointer, or else the newest ones. `x` has uPlot's options of the horizontal
 * scale, axis and series; lines are drawn as bars if `hasBars`.
 * @returns functions that show other data, and that end the chart
 */
export function makeChart({ x, hasBars = false, ...plot }, drawing) {
  const { left, right } = plot;
  const lines = listLines(plot);
  const colour = colourIn(drawing);
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
        width: (_chart, line) => (hasBars || line > STROKES.length ? 2 : 1),
        stroke: (_chart, line) => `var(--line-${line})`,
        dash: (_chart, line) => (hasBars ? 'solid' : STROKES[(line - 1) % STROKES.length].border),
        fill: 'none',
      },
    },
    cursor: { y: false, drag: { x: false }, points: { size: 6 } },
    scales: { x: x.scale, y: fromZero(left), ...(right && { right: fromZero(right) }) },
    axes: [
      axis({ size: 26, grid: { show: false }, ...x.axis }),
      axis({ size: 54, values: texts(left.unit), ...(left.steps && { incrs: left.steps }) }),
      ...(right ? [axis({ side: 1, scale: 'right', size: 46, grid: { show: false }, values: texts(right.unit) })] : []),
    ],
    series: [
      x.series,
      ...lines.map(({ name, unit }, index) => ({
        label: name,
        value: (chart, _value, line, pointed) => unit(chart.data[line].at(pointed ?? -1) ?? null),
        scale: right && index === lines.length - 1 ? 'right' : 'y',
        ...strokeOf(index, hasBars, colour),
        points: { show: false },
      })),
    ],
  };
  const chart = new uPlot(options, [[], ...lines.map(() => [])], drawing);
  const resize = ([{ contentRect }]) => chart.setSize({ width: Math.max(120, Math.floor(contentRect.width)), height: HEIGHT });
  const observer = new ResizeObserver(resize);
  observer.observe(drawing);
  return {
    setData: (data) => chart.setData(data),
    destroy() {
      observer.disconnect();
      chart.destroy();
    },
  };
}
