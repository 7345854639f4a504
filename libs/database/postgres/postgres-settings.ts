import type { PostgresLocation, PostgresSettings } from '../database-url.js';

const DEFAULTS = { poolSize: 8, timeout: 1_500 };

/** The settings of a location, with what it leaves out. */
export function postgresSettings({ url, migrationUrl = url, poolSize, timeout }: PostgresLocation): PostgresSettings {
  return { migrationUrl, poolSize: poolSize ?? DEFAULTS.poolSize, timeout: timeout ?? DEFAULTS.timeout };
}
