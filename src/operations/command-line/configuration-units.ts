import { bytes, duration } from '#libs/cli-kit';

/** Members of the configuration that are milliseconds, one or several. */
const DURATIONS: ReadonlySet<string> = new Set([
  'disableAfter',
  'grace',
  'idempotencyRetention',
  'ladder',
  'orderReservation',
  'retryDelays',
  'shutdownGrace',
  'streamLifetime',
  'timeout',
]);

/** Members of the configuration that are numbers of bytes. */
const SIZES: ReadonlySet<string> = new Set(['bodyLimitBytes']);

/** The configuration with texts such as `15 min` and `64.0 KiB` where it has milliseconds and bytes. */
export function withUnits(configuration: object): object {
  return Object.fromEntries(Object.entries(configuration).map(([name, value]) => [name, shown(name, value)]));
}

function shown(name: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => shown(name, item));
  if (typeof value === 'object' && value !== null) return withUnits(value);
  if (typeof value !== 'number') return value;
  if (DURATIONS.has(name)) return duration(value);
  return SIZES.has(name) ? bytes(value) : value;
}
