import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('paced-load.mjs', import.meta.url));

/**
 * Sends a request at a steady rate on a number of connections, from a process of its own.
 * @returns percentiles of the latency in milliseconds, counted from when each request was due, and how many were no success
 * @throws Error when answers were missing
 */
export async function pace({ url, ...request }, { rate, seconds, connections }) {
  const { hostname: host, port, pathname, search } = new URL(url);
  const given = { ...request, host, port: Number(port), path: pathname + search, rate, seconds, connections };
  const { stdout } = await run(process.execPath, [PROGRAM, JSON.stringify(given)]);
  const report = JSON.parse(stdout);
  if (report.answered < report.sent) throw new Error(`Some requests at a steady rate were not answered: ${stdout}`);
  return report;
}
