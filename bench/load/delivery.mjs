import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('delivery-load.mjs', import.meta.url));

/**
 * Adds things at a steady rate and reads their events from a stream, from a process of its own.
 * @returns percentiles in milliseconds until an event was read, since its request was sent and since it was acknowledged
 * @throws Error when an event was missing
 */
export async function deliver(origin, { adding, stream, rate, adds }) {
  const { stdout } = await run(process.execPath, [PROGRAM, JSON.stringify({ origin, adding, stream, rate, adds })]);
  const report = JSON.parse(stdout);
  if (report.missing > 0) throw new Error(`${report.missing} events were not read: ${stdout}`);
  return report;
}
