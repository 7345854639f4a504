import { loadWithAutocannon } from './autocannon.mjs';
import { hasWrk, loadWithWrk } from './wrk.mjs';

const wrk = await hasWrk();

/** The program that makes the load. */
export const loadGenerator = wrk ? 'wrk' : 'autocannon';

/** Requests of a load were refused or failed. */
export class RefusedRequestsError extends Error {
  name = 'RefusedRequestsError';
}

/**
 * Sends a request again and again on a number of connections, from a process of its own.
 * @returns requests sent, requests a second, unexpected answers, 99th percentile of the latency in milliseconds
 * @throws RefusedRequestsError when an answer was no success
 * @throws Error when there were fewer numbers than requests
 */
export async function load(request, options) {
  const result = await (wrk ? loadWithWrk : loadWithAutocannon)(request, options);
  if (request.numbers) assertEnough(request.numbers, result.requests);
  if (result.unexpected > 0) throw new RefusedRequestsError(`${result.unexpected} requests to ${request.url} failed or were refused.`);
  return result;
}

function assertEnough({ first, last }, requests) {
  const count = last - first + 1;
  if (requests > count) throw new Error(`${requests} requests were sent, and there were numbers for ${count}.`);
}
