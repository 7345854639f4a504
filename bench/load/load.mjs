import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Stands in the body of a request that has `numbers: { first, last }`: each request sent has the next of them there. */
export const NUMBER = '#';

const PROGRAM = 'sockets-program.mjs';

/** Some requests of a load were rejected or failed. */
export class FailedRequestsError extends Error {
  name = 'FailedRequestsError';
}

/**
 * Sends a request as fast as it is answered on a number of connections, from a process of its own.
 * @param request may have `variants` (paths or bodies that take turns) or `numbers`
 * @returns requests sent, requests a second, 99th percentile of the latency in milliseconds
 * @throws FailedRequestsError if a response was no success
 * @throws Error if there were fewer numbers than requests
 */
export async function load(request, { seconds, connections }) {
  const { origin } = new URL(request.url);
  const result = await runProgram(PROGRAM, { origin, requests: [request], seconds, connections });
  const { first, last } = request.numbers ?? { first: 1, last: Infinity };
  if (result.requests > last - first + 1) throw new Error(`${result.requests} requests were sent, and there were too few numbers.`);
  if (result.failed > 0) throw new FailedRequestsError(`${result.failed} requests to ${request.url} failed or were rejected.`);
  return result;
}

/**
 * Sends requests in turns at a steady rate, whether they are answered or not.
 * @param until a promise that ends the load early when it settles
 * @returns 99th percentile of the latency in milliseconds since each request was due, and how many were no success
 * @throws Error if responses were missing
 */
export async function pace(origin, requests, { until, ...options }) {
  const report = await runProgram(PROGRAM, { origin, requests, ...options }, until);
  if (report.answered < report.requests) throw new Error(`Some requests at a steady rate were not answered: ${JSON.stringify(report)}`);
  return report;
}

/** Runs a program of this folder to its report, and tells it to end early when a promise settles. */
export async function runProgram(name, given, until) {
  const child = startProgram(name, given);
  const end = () => child.kill('SIGTERM');
  until?.then(end, end);
  const [report] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [])]);
  if (report === undefined) throw new Error(`The load ${name} failed.`);
  return report;
}

/** Starts a program of this folder. It ends with this process. */
export function startProgram(name, given) {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)));
  child.send(given);
  return child;
}
