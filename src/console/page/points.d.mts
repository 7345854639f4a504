export interface Points {
  readonly last: number | null;
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

/** No point yet. */
export const noPoints: Points;

/**
 * The points with those of an answer behind them, as one list for each column, no longer than five minutes.
 * An answer that counts from anew is of a service that was started anew: what was before is forgotten.
 */
export function withPoints(
  points: Points,
  answer: { readonly columns: readonly string[]; readonly last: number; readonly rows: readonly (readonly (number | null)[])[] },
): Points;

/** The newest value of a column that is there, or null. */
export function newest(values?: readonly (number | null)[]): number | null;

/** The sum of a column. */
export function total(values?: readonly (number | null)[]): number;
