import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../node_modules/autocannon/autocannon.js', import.meta.url));

/** Loads a server with autocannon, in a process of its own. It takes as much of a processor as the server does, or more. */
export async function loadWithAutocannon({ url, method = 'GET', headers = {}, body }, { seconds, connections }) {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const content = body === undefined ? [] : ['-b', body];
  const options = ['--json', '-n', '-c', `${connections}`, '-d', `${seconds}`, '-m', method, ...given, ...content];
  const { stdout } = await run(process.execPath, [PROGRAM, ...options, url]);
  const { requests, duration, non2xx, errors, latency } = JSON.parse(stdout);
  return { requests: requests.total, rate: requests.total / duration, unexpected: non2xx + errors, p99: latency.p99 };
}
