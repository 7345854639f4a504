export type { CliContext, CommandRegistration } from './cli-context.js';
export { parseDuration } from './duration.js';
export { ProgressBar, type ProgressTerminal } from './progress-bar.js';
export { withProgressBar, type Progress } from './with-progress-bar.js';
