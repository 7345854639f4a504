import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('paced-load.mjs', import.meta.url));

/**
 * Sends requests in turns at a steady rate on a number of connections, from a process of its own.
 * @param requests each with its `path`
 * @param until a promise that ends the load before its time when it settles
 * @returns percentiles of the latency in milliseconds, counted from when each request was due, and how many were no success
 * @throws Error when answers were missing
 */
export async function pace(origin, requests, { rate, seconds, connections, until }) {
  const { hostname: host, port } = new URL(origin);
  const given = { host, port: Number(port), requests, rate, seconds, connections };
  const running = run(process.execPath, [PROGRAM, JSON.stringify(given)]);
  const end = () => running.child.kill('SIGTERM');
  until?.then(end, end);
  const { stdout } = await running;
  const report = JSON.parse(stdout);
  if (report.answered < report.sent) throw new Error(`Some requests at a steady rate were not answered: ${stdout}`);
  return report;
}
