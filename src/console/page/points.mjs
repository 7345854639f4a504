const SECONDS_KEPT = 300;

/** No point yet. */
export const noPoints = { last: null, series: {} };

/**
 * The points with those of an answer behind them, as one list for each column, no longer than five minutes.
 * An answer that counts from anew is of a service that was started anew: what was before is forgotten.
 */
export function withPoints(points, { columns, last, rows }) {
  const isOther = points.last === null || last < points.last;
  const series = Object.fromEntries(
    columns.map((name, index) => {
      const former = isOther ? [] : (points.series[name] ?? []);
      return [name, [...former, ...rows.map((row) => row[index])].slice(-SECONDS_KEPT)];
    }),
  );
  return { last, series };
}

/** The newest value of a column that is there, or null. */
export function newest(values = []) {
  return values.findLast((value) => value !== null) ?? null;
}

/** The sum of a column. */
export function total(values = []) {
  return values.reduce((sum, value) => sum + (value ?? 0), 0);
}
