export { detectStyle, getCellText, toned, WholeText, type Cell, type Cells, type Terminal, type View } from './cell.js';
export {
  acceptYes,
  commandGroup,
  isConfirmed,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from './cli-context.js';
export { nearest } from './nearest.js';
export { count, parseDuration, parseList, UsageError, wholeNumber } from './parsers.js';
export { ProgressBar, withProgressBar, type Progress } from './progress-bar.js';
export { bytes, duration, formatRelativeTime, instant, when } from './units.js';
export { fields, generalView, Table, table } from './views.js';
