export {
  acceptYes,
  commandGroup,
  isConfirmed,
  readPages,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from './cli-context.js';
export { countWithin, int64, parseDuration, parseList, time, trueOrFalse, UsageError, wholeNumber } from './parsers.js';
export { ProgressLine, withProgress, type Progress } from './progress.js';
export { duration, formatRelativeTime, instant, when } from './units.js';
export {
  beginTable,
  fields,
  generalView,
  getCellText,
  table,
  toned,
  type Cell,
  type Cells,
  type Table,
  type Terminal,
  type View,
} from './views.js';
