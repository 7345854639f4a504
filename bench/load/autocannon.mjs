import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('autocannon-load.mjs', import.meta.url));

/** Loads a server with autocannon, in a process of its own. It takes as much of a processor as the server does, or more. */
export async function loadWithAutocannon(request, { seconds, connections }) {
  const { stdout } = await run(process.execPath, [PROGRAM, JSON.stringify({ request, seconds, connections })]);
  const { requests, duration, non2xx, errors, latency } = JSON.parse(stdout);
  return { requests: requests.total, rate: requests.total / duration, unexpected: non2xx + errors, p99: latency.p99 };
}
