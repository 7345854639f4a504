// Runs every `check:` script of package.json, two at a time, and prints what each says, with its seconds, as soon as it ends.
// Usage: npm run check
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The longest first, so that the other process has the short ones beside them. */
const FIRST = ['check:lint', 'check:types'];
const PARALLEL = 2;

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const parts = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const queue = [...FIRST, ...parts.filter((name) => !FIRST.includes(name))];

async function runPart(name) {
  const began = performance.now();
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'} ${name} (${seconds} s)\n${Buffer.concat(output)}`);
  if (code !== 0) process.exitCode = 1;
}

async function work() {
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) await runPart(name);
}

await Promise.all(Array.from({ length: PARALLEL }, work));
