export type { CliContext, CommandRegistration } from './cli-context.js';
export { parseDuration } from './duration.js';
export { ProgressBar, withProgressBar, type Progress, type ProgressTerminal } from './progress-bar.js';
export { int64Of, numberOf, wholeNumber } from './whole-number.js';
