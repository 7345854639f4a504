#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { judgeUsage, runCommandLine, type CataloguedCommand } from './cli/index.js';
import { loadEnvironmentFile } from './config/index.js';

/** Written by the build beside the bundle; without it every line is judged by the whole program. */
const CATALOGUE = new URL('../programs/catalogue.json', import.meta.url);

const { stdin, stdout, stderr } = process;
const words = process.argv.slice(2);
process.exitCode = (await judge()) ?? (await runCommandLine(words, { loadEnvironment, stdin, stdout, stderr }));

async function judge(): Promise<number | undefined> {
  if (!existsSync(CATALOGUE)) return undefined;
  return judgeUsage(words, JSON.parse(readFileSync(CATALOGUE, 'utf8')) as CataloguedCommand, { stdout, stderr });
}

function loadEnvironment(): NodeJS.ProcessEnv {
  loadEnvironmentFile();
  return process.env;
}
