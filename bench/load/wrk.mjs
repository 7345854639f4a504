import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NUMBER } from './numbers.mjs';

const run = promisify(execFile);

const REPORT = `
function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('\\nREPORT %d %d %d %d %d\\n', summary.requests, summary.duration, errors.status, broken, latency:percentile(99)))
end
`;

/** Whether wrk is installed. */
export async function hasWrk() {
  return run('wrk', ['-v']).then(
    () => true,
    // It prints its version and ends with 1.
    (error) => error.code !== 'ENOENT',
  );
}

/** Loads a server with wrk, in a process of its own with one thread. @param request may hold `paths` or `texts`, which take turns, or `numbers` */
export async function loadWithWrk({ url, paths, texts, method = 'GET', headers = {}, body, numbers }, { seconds, connections }) {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-wrk-'));
  try {
    const script = join(folder, 'request.lua');
    const lines = [`wrk.method = ${lua(method)}`, ...(body === undefined ? [] : [`wrk.body = ${lua(body)}`])];
    const changing = [
      ...(paths ? [takingTurns(paths, 'nil, given[turn]')] : []),
      ...(texts ? [takingTurns(texts, `nil, nil, nil, ${aroundNumber(body, 'given[turn]')}`)] : []),
      ...(numbers ? [numbering(body, numbers)] : []),
    ];
    await writeFile(script, [...lines, ...changing, REPORT].join('\n'));
    const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, ...given, url]);
    return readReport(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param formatted what `wrk.format` is given */
function takingTurns(given, formatted) {
  const turn = 'turn = turn % #given + 1';
  return `local given, turn = {${given.map(lua).join(',')}}, 0\nfunction request() ${turn} return wrk.format(${formatted}) end`;
}

function numbering(body, { first }) {
  const next = `number = number + 1 return wrk.format(nil, nil, nil, ${aroundNumber(body, 'number')})`;
  return `local number = ${first - 1}\nfunction request() ${next} end`;
}

function aroundNumber(body, given) {
  const [before, after] = body.split(NUMBER).map(lua);
  return `${before} .. ${given} .. ${after}`;
}

function readReport(output) {
  const figures = /REPORT (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(output)?.slice(1).map(Number);
  if (!figures) throw new Error(`wrk gave no report: ${output}`);
  const [requests, microseconds, refused, broken, p99Microseconds] = figures;
  return { requests, rate: requests / (microseconds / 1e6), unexpected: refused + broken, p99: p99Microseconds / 1_000 };
}

/** JSON's escapes of quotes, backslashes and line feeds are Lua's too. */
function lua(text) {
  return JSON.stringify(text);
}
