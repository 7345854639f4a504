export type { CliIo } from './application-cli-context.js';
export type { ResultStream } from './standard-output.js';
export { createDocumentedProgram } from './program.js';
export { runCommandLine } from './run-command-line.js';
