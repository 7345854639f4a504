import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';

/** Adds the variables of `.env` in the working directory; variables that are already set win. Stands apart, as help loads no zod. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) loadEnvFile('.env');
}
