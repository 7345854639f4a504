import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

/** Adds what `.env` in the working directory sets; variables that are already set win. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) loadEnvFile('.env');
}
