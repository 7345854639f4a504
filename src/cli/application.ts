import 'reflect-metadata';

export { commandCatalogue } from './command-catalogue.js';
export { runCommandLine } from './run-command-line.js';
