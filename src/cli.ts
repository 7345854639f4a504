import 'reflect-metadata';
import { runCommandLine } from './cli/index.js';

process.exitCode = await runCommandLine(process.argv.slice(2));
