import 'reflect-metadata';
import { runCommandLine } from './cli/index.js';
import { loadEnvironmentFile } from './config/index.js';

process.exitCode = await runCommandLine(process.argv.slice(2), { loadEnvironment, stdout: process.stdout, stderr: process.stderr });

function loadEnvironment(): NodeJS.ProcessEnv {
  loadEnvironmentFile();
  return process.env;
}
