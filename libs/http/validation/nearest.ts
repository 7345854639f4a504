/**
 * Finds the known word with the fewest typing mistakes (a character too many, too few or different, or two neighbours swapped), the first
 * of several.
 * @param maxMistakes the most mistakes that a candidate may have
 * @returns undefined if the word is known, or no word is near enough
 */
export function nearest(
  word: string,
  known: Iterable<string>,
  maxMistakes: (candidate: string) => number = oneInThree,
): string | undefined {
  const { length } = [...word];
  let found: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    // A mistake changes the length by one character at most.
    if (Math.abs([...candidate].length - length) > maxMistakes(candidate)) continue;
    const distance = editDistance(word, candidate);
    if (distance === 0) return undefined;
    if (distance >= least || distance > maxMistakes(candidate)) continue;
    found = candidate;
    least = distance;
  }
  return found;
}

/** A word of three characters may have one mistake, one of nine three. */
function oneInThree({ length }: string): number {
  return Math.min(3, Math.max(1, Math.floor(length / 3)));
}

/** Computes the optimal string alignment distance: https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance. */
function editDistance(from: string, to: string): number {
  const one = [...from];
  const other = [...to];
  const distances = [[0, ...other.map((_, index) => index + 1)]];
  const at = (row: number, column: number) => distances[row]?.[column] ?? Infinity;
  for (const [row, character] of one.entries()) {
    const current = [row + 1];
    distances.push(current);
    for (const [column, wanted] of other.entries()) {
      const substituted = at(row, column) + (character === wanted ? 0 : 1);
      const isSwap = character === other[column - 1] && one[row - 1] === wanted;
      const swapped = isSwap ? at(row - 1, column - 1) + 1 : Infinity;
      current.push(Math.min(substituted, swapped, at(row + 1, column) + 1, at(row, column + 1) + 1));
    }
  }
  return at(one.length, other.length);
}
