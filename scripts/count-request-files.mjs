// Counts the files and functions of this project that one POST and one uncached GET execute. Usage: npm run build, then
// node scripts/count-request-files.mjs [--list]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = join(import.meta.dirname, '..', 'dist');
const folder = mkdtempSync(join(tmpdir(), 'count-request-files-'));
const port = 32_000 + (process.pid % 1_000);
const environment = {
  DATABASE_URL: `sqlite:${join(folder, 'adoption.db')}`,
  PORT: String(port),
  LOG_LEVEL: 'warn',
  MANAGEMENT_PORT: '0',
};
Object.assign(process.env, environment);

const profiler = new Session();
profiler.connect();
await profiler.post('Profiler.enable');
await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await import(pathToFileURL(join(dist, 'src', 'main.js')).href);
const printed = execFileSync(process.execPath, [join(dist, 'src', 'cli.js'), 'keys', 'create', '--name', 'count', '--plan', 'business'], {
  env: { ...process.env, MANAGEMENT_PORT: '' },
  encoding: 'utf8',
});
const headers = { authorization: `Bearer ${JSON.parse(printed).key}`, 'content-type': 'application/json' };

const idle = new Set();
let added = await add('first');
await read(added);
// What timers do between requests, and what belongs to the end of the requests before.
for (let round = 0; round < 20; round += 1) {
  await pause(250);
  for (const { key } of await executed()) idle.add(key);
  if (round === 10) idle.clear();
}
added = await report('POST /v1/pets', () => add('counted'));
await pause(250);
await executed();
await report('GET /v1/pets/{petId}, not cached', () => read(added));
rmSync(folder, { recursive: true });
process.exit(0);

async function add(name) {
  const body = JSON.stringify({ name, categoryId: 7, status: 'available' });
  const response = await fetch(`http://127.0.0.1:${port}/v1/pets`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`POST answered ${response.status}: ${await response.text()}`);
  return response.headers.get('location');
}

async function read(path) {
  const response = await fetch(new URL(path, `http://127.0.0.1:${port}`), { headers });
  if (response.status !== 200) throw new Error(`GET answered ${response.status}: ${await response.text()}`);
  await response.text();
}

async function report(title, request) {
  await executed();
  const result = await request();
  const functions = (await executed()).filter(({ key }) => !idle.has(key));
  const files = new Set(functions.map(({ file }) => file));
  console.log(`${title}: ${files.size} files, ${functions.length} functions`);
  if (process.argv.includes('--list')) {
    for (const file of [...files].sort()) console.log(`  ${file}`);
  }
  return result;
}

/** The functions of the project that ran since the last call. The body of a module is none. */
async function executed() {
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  const own = result.filter(({ url }) => url.startsWith(pathToFileURL(dist).href));
  return own.flatMap(({ url, functions }) => {
    const file = relative(dist, fileURLToPath(url));
    return functions
      .filter(({ functionName, ranges: [range] }) => range.count > 0 && (functionName !== '' || range.startOffset > 0))
      .map(({ functionName, ranges: [range] }) => ({ file, key: `${file}:${range.startOffset}:${functionName}` }));
  });
}
