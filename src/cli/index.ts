export { runCommandLine, type Surroundings } from './run-command-line.js';
