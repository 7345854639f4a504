import { BOUNDS } from './bounds.js';

/** What the library of the language says when it gives up validating a document, with the bound that was reached. */
const REASONS: ReadonlyMap<string, string> = new Map([
  [
    'Too many validation errors, error limit reached. Validation aborted.',
    `The document has more than ${BOUNDS.mistakes} mistakes; the bound on mistakes is ${BOUNDS.mistakes}.`,
  ],
  [
    'Validation aborted.',
    `The document repeats its fields so often that they take more than ${BOUNDS.comparisons} comparisons; ` +
      `the bound on comparisons is ${BOUNDS.comparisons}.`,
  ],
]);

/** In words, the bound that ended a validation with this message; undefined for any other message. */
export function boundBehind(message: string): string | undefined {
  return REASONS.get(message);
}
