export type { CliContext, CommandRegistration } from './cli-context.js';
export { acceptYes, isConfirmed, type ConfirmationOptions } from './confirmation.js';
export { count } from './count.js';
export { parseDuration } from './duration.js';
export { nearest } from './nearest.js';
export { parseList } from './parse-list.js';
export { printableLine } from './printable-line.js';
export { ProgressBar, withProgressBar, type Progress, type ProgressTerminal } from './progress-bar.js';
export { recipeOf, withRecipe, type ParserRecipe } from './recipe.js';
export {
  bytes,
  duration,
  fields,
  fromNow,
  generalView,
  hasColours,
  instant,
  styleOf,
  Table,
  table,
  textOf,
  toned,
  when,
  WholeText,
  type Cell,
  type Cells,
  type Terminal,
  type View,
} from './terminal/index.js';
export { UsageError } from './usage-error.js';
export { numberOf, wholeNumber } from './whole-number.js';
