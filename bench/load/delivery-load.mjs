import { Agent, request as send } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * Sends requests that add something, at a steady rate, and reads a stream of events beside them; one process, so that one clock says when a
 * request was sent and when its event was read. Run as `node delivery-load.mjs LOAD-JSON`; prints its report as JSON.
 */
const { origin, adding, stream, rate, adds } = JSON.parse(process.argv[2]);
const LAST_EVENTS_MILLISECONDS = 10_000;
// Until its code and the service's is compiled both are late; what is sent before is not counted.
const WARM_UP_SHARE = 0.1;
const agent = new Agent({ keepAlive: true });
const readAt = new Map();
const sent = [];

await openStream();
const warmUp = Math.ceil(adds * WARM_UP_SHARE);
const startedAt = performance.now();
for (let index = 0; index < warmUp + adds; index += 1) {
  const wait = startedAt + (index / rate) * 1_000 - performance.now();
  if (wait > 0) await delay(wait);
  sent.push(add());
}
const added = (await Promise.all(sent)).slice(warmUp);
const deadline = performance.now() + LAST_EVENTS_MILLISECONDS;
while (added.some(({ subject }) => !readAt.has(subject)) && performance.now() < deadline) await delay(10);
const missing = added.filter(({ subject }) => !readAt.has(subject)).length;
const report = {
  missing,
  sinceSent: percentilesOf(added.map(({ subject, sentAt }) => readAt.get(subject) - sentAt)),
  sinceAcknowledged: percentilesOf(added.map(({ subject, acknowledgedAt }) => readAt.get(subject) - acknowledgedAt)),
};
process.stdout.write(JSON.stringify(report), () => process.exit());

function openStream() {
  return new Promise((resolve, reject) => {
    const opening = send(origin + stream.path, { headers: { ...stream.headers, accept: 'text/event-stream' } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`The stream was refused with ${response.statusCode}.`));
      response.setEncoding('utf8');
      let rest = '';
      response.on('data', (text) => {
        const now = performance.now();
        const lines = (rest + text).split('\n');
        rest = lines.pop();
        for (const line of lines) read(line, now);
        // The bookmark that tells where it begins: from then on nothing is missed.
        resolve();
      });
    });
    opening.once('error', reject);
    opening.end();
  });
}

function read(line, now) {
  if (!line.startsWith('data: ')) return;
  const { subject } = JSON.parse(line.slice('data: '.length));
  if (subject !== undefined) readAt.set(subject, now);
}

function add() {
  const { path, method, headers, body } = adding;
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    const adding = send(origin + path, { agent, method, headers }, (response) => {
      if (response.statusCode !== 201) reject(new Error(`A request was refused with ${response.statusCode}.`));
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (part) => (text += part));
      response.on('end', () => resolve({ subject: `pets/${JSON.parse(text).id}`, sentAt, acknowledgedAt: performance.now() }));
    });
    adding.once('error', reject);
    adding.end(body);
  });
}

function percentilesOf(milliseconds) {
  const sorted = milliseconds.toSorted((left, right) => left - right);
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: percentile(0.5), p99: percentile(0.99), worst: sorted.at(-1) };
}
