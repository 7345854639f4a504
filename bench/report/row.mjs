/** One line of the table. Figures are texts; `met` is undefined where there is no goal. */

/**
 * A row that compares requests a second, and in brackets requests a second of processor time.
 * @param spread whether it tells the least and the largest ratio of a round too
 */
export function shareRow({ what, subject, baseline, goal, spread = false }) {
  const share = subject.shareOf(baseline.measured);
  return {
    what,
    figure: `${rate(subject.rate)} (${micros(subject.microseconds)})`,
    baseline: baseline.name,
    baselineFigure: `${rate(baseline.measured.rate)} (${micros(baseline.measured.microseconds)})`,
    ratio: `${share.toFixed(2)} (${subject.workShareOf(baseline.measured).toFixed(2)})${spread ? spreadOf(subject, baseline) : ''}`,
    goal: goal === undefined ? '' : `at least ${goal}`,
    met: goal === undefined ? undefined : share >= goal,
  };
}

function spreadOf(subject, { measured }) {
  const range = (ratios) => `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return `, rounds ${range(subject.sharesOf(measured))} (${range(subject.workSharesOf(measured))})`;
}

/** A row with a figure of its own. `atLeast` or `below` is its goal. */
export function figureRow({ what, figure, unit, atLeast, below, note = '' }) {
  const goal = atLeast !== undefined ? `at least ${number(atLeast)} ${unit}` : below !== undefined ? `below ${number(below)} ${unit}` : '';
  const met = atLeast !== undefined ? figure >= atLeast : below !== undefined ? figure < below : undefined;
  return { what, figure: `${number(figure)} ${unit}`, baseline: note, baselineFigure: '', ratio: '', goal, met };
}

/** A row that compares two figures of the same unit. What follows a figure may be given as `detail` and `baselineDetail`. */
export function ratioRow({ what, figure, detail = '', baseline, baselineFigure, baselineDetail = '', unit, atLeast, atMost }) {
  const ratio = figure / baselineFigure;
  const goal = atLeast !== undefined ? `at least ${atLeast}` : atMost !== undefined ? `at most ${atMost}` : '';
  const met = atLeast !== undefined ? ratio >= atLeast : atMost !== undefined ? ratio <= atMost : undefined;
  return {
    what,
    figure: `${number(figure)} ${unit}${detail}`,
    baseline,
    baselineFigure: `${number(baselineFigure)} ${unit}${baselineDetail}`,
    ratio: ratio.toFixed(2),
    goal,
    met,
  };
}

function rate(value) {
  return `${number(value)}/s`;
}

function micros(value) {
  return Number.isNaN(value) ? 'unknown' : `${value.toFixed(1)} µs`;
}

function number(value) {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}
