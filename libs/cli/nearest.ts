/**
 * Finds the known word with the fewest typing mistakes (a character too many, too few or different, or two neighbours swapped), the first
 * of several.
 * @param mistakesIn how many mistakes a candidate may have at most
 * @returns undefined if the word is known, or none is so near
 */
export function nearest(word: string, known: Iterable<string>, mistakesIn: (candidate: string) => number = () => 3): string | undefined {
  let found: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const distance = editDistance(word, candidate);
    if (distance === 0) return undefined;
    if (distance >= least || distance > mistakesIn(candidate)) continue;
    found = candidate;
    least = distance;
  }
  return found;
}

/** The optimal string alignment distance, row by row: https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance. */
function editDistance(from: string, to: string): number {
  const one = [...from];
  const other = [...to];
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [row, character] of one.entries()) {
    const current = [row + 1];
    for (const [column, wanted] of other.entries()) {
      const substituted = at(last, column) + (character === wanted ? 0 : 1);
      const inserted = at(current, column) + 1;
      const deleted = at(last, column + 1) + 1;
      const isSwap = character === other[column - 1] && one[row - 1] === wanted;
      current.push(Math.min(substituted, inserted, deleted, isSwap ? at(beforeLast, column - 1) + 1 : Infinity));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, other.length);
}

function at(distances: readonly number[], column: number): number {
  return distances[column] ?? Infinity;
}
