export {
  acceptYes,
  commandGroup,
  isConfirmed,
  readPages,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from './cli-context.js';
export { count, countWithin, int64, parseDuration, parseList, time, trueOrFalse, UsageError, wholeNumber } from './parsers.js';
export { ProgressBar, withProgressBar, type Progress } from './progress-bar.js';
export { bytes, duration, formatRelativeTime, instant, when } from './units.js';
export {
  detectStyle,
  fields,
  generalView,
  getCellText,
  Table,
  table,
  toned,
  type Cell,
  type Cells,
  type Terminal,
  type View,
} from './views.js';
