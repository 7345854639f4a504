import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

/** Adds the variables of `.env` in the working directory; variables that are already set win. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) loadEnvFile('.env');
}
