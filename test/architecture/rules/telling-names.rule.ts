import { vagueNames } from '../layout.js';
import { fileRule } from '../rule.js';

/** A name says what a file is for. */
export const tellingNamesRule = fileRule('telling-names', ({ path }) => {
  const words = path.replace(/\.ts$/, '').split(/[/.-]/);
  const vague = words.find((word) => vagueNames.includes(word));
  return vague === undefined ? undefined : `"${vague}" does not say what the file is for`;
});
