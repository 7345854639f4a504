import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const REPORT = `
function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('\\nREPORT %d %d %d %d\\n', summary.requests, summary.duration, errors.status + broken, latency:percentile(99)))
end
`;

/** Whether wrk is installed. */
export async function hasWrk() {
  // It prints its version and ends with 1.
  return run('wrk', ['-v']).then(
    () => true,
    (error) => error.code !== 'ENOENT',
  );
}

/** Loads a server with wrk, in a process of its own with one thread. */
export async function loadWithWrk({ url, variants, method = 'GET', headers = {}, body, numbers }, { seconds, connections }) {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-wrk-'));
  try {
    const script = join(folder, 'request.lua');
    const lines = [`wrk.method = ${lua(method)}`, `wrk.body = ${lua(body)}`];
    if (variants) lines.push(takeTurns(variants));
    if (numbers) lines.push(countUp(body, numbers));
    await writeFile(script, [...lines, REPORT].join('\n'));
    const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const { stdout } = await run('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, ...given, url]);
    const figures = /REPORT (\d+) (\d+) (\d+) (\d+)/.exec(stdout)?.slice(1).map(Number);
    if (!figures) throw new Error(`wrk gave no report: ${stdout}`);
    const [requests, microseconds, failed, p99Microseconds] = figures;
    return { requests, rate: requests / (microseconds / 1e6), failed, p99: p99Microseconds / 1_000 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function takeTurns(variants) {
  const formatted = variants.map(({ path, body }) => `wrk.format(nil, ${lua(path)}, nil, ${lua(body)})`);
  return `local given, turn = {}, 0
function init(arguments)
${formatted.map((each) => `  table.insert(given, ${each})`).join('\n')}
end
function request() turn = turn % #given + 1 return given[turn] end`;
}

function countUp(body, { first }) {
  const [before, after] = body.split('#').map(lua);
  return `local number = ${first - 1}
function request() number = number + 1 return wrk.format(nil, nil, nil, ${before} .. number .. ${after}) end`;
}

/** JSON's escapes of quotes, backslashes and line feeds are Lua's too. */
function lua(text) {
  return text === undefined ? 'nil' : JSON.stringify(text);
}
