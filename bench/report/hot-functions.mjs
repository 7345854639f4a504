import { readFileSync } from 'node:fs';

/* Prints the functions of a CPU profile that took most time themselves: `node hot-functions.mjs FILE [COUNT]`. */
const [file, count = '40'] = process.argv.slice(2);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
const byId = new Map(nodes.map((node) => [node.id, node]));
const times = new Map();
samples.forEach((id, index) => {
  const { functionName, url, lineNumber } = byId.get(id).callFrame;
  const place = `${functionName || '(anonymous)'} ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`;
  times.set(place, (times.get(place) ?? 0) + timeDeltas[index]);
});
const total = [...times.values()].reduce((sum, time) => sum + time, 0);
const idle = times.get('(idle) :0') ?? 0;
times.delete('(idle) :0');
for (const [place, time] of [...times].sort(([, left], [, right]) => right - left).slice(0, Number(count))) {
  console.log(`${((time / (total - idle)) * 100).toFixed(1).padStart(5)} %  ${place}`);
}
