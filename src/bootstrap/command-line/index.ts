export type { CliIo, ResultStream } from './application-cli-context.js';
export { createDocumentedProgram } from './program.js';
export { runCommandLine } from './run-command-line.js';
