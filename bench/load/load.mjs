import { loadWithAutocannon } from './autocannon.mjs';
import { hasWrk, loadWithWrk } from './wrk.mjs';

const wrk = await hasWrk();

/** The program that makes the load. */
export const loadGenerator = wrk ? 'wrk' : 'autocannon';

/**
 * Sends a request again and again on a number of connections, from a process of its own.
 * @returns requests sent, requests a second, unexpected answers, 99th percentile of the latency in milliseconds
 * @throws Error when an answer was no success
 */
export async function load(request, options) {
  const result = await (wrk ? loadWithWrk : loadWithAutocannon)(request, options);
  if (result.unexpected > 0) throw new Error(`${result.unexpected} requests to ${request.url} failed or were refused.`);
  return result;
}
