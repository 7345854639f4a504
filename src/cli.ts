#!/usr/bin/env node
import { runCommandLine } from './bootstrap/command-line/run-command-line.js';
import { loadEnvironmentFile } from './config/index.js';

const { stdin, stdout, stderr } = process;
process.exitCode = await runCommandLine(process.argv.slice(2), { loadEnvironment, stdin, stdout, stderr });

function loadEnvironment(): NodeJS.ProcessEnv {
  loadEnvironmentFile();
  return process.env;
}
