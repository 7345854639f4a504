import { once } from 'node:events';
import { Agent, request as startRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * Adds animals at a steady rate and reads their events from a stream; one process, so that one clock says when a request was sent and when its
 * event was read. Reports percentiles in milliseconds.
 */
const [{ origin, adding, stream, rate, adds }] = await once(process, 'message');
const LAST_EVENTS_MILLISECONDS = 10_000;
// Until its code and the service's is compiled both are late; what is sent before is not counted.
const WARM_UP = Math.ceil(adds * 0.1);
const agent = new Agent({ keepAlive: true });
const readAt = new Map();

await openStream();
const sent = [];
const startedAt = performance.now();
for (let index = 0; index < WARM_UP + adds; index += 1) {
  const wait = startedAt + (index / rate) * 1_000 - performance.now();
  if (wait > 0) await delay(wait);
  sent.push(add());
}
const added = (await Promise.all(sent)).slice(WARM_UP);
const deadline = performance.now() + LAST_EVENTS_MILLISECONDS;
while (added.some(({ subject }) => !readAt.has(subject)) && performance.now() < deadline) await delay(10);
const report = {
  missing: added.filter(({ subject }) => !readAt.has(subject)).length,
  sinceSent: percentiles(added.map(({ subject, sentAt }) => readAt.get(subject) - sentAt)),
  sinceAcknowledged: percentiles(added.map(({ subject, acknowledgedAt }) => readAt.get(subject) - acknowledgedAt)),
};
process.send(report, () => process.exit());

/** Resolves with the bookmark that tells where the stream begins: from then on nothing is missed. */
async function openStream() {
  const response = await respond(stream, 200);
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk) => {
    const now = performance.now();
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines.filter((each) => each.startsWith('data: '))) readAt.set(JSON.parse(line.slice('data: '.length)).subject, now);
  });
  await once(response, 'data');
}

async function add() {
  const sentAt = performance.now();
  const { id } = JSON.parse(await readText(await respond({ ...adding, agent }, 201)));
  return { subject: `pets/${id}`, sentAt, acknowledgedAt: performance.now() };
}

async function respond({ path, method, headers, body, agent }, expected) {
  const sending = startRequest(origin + path, { agent, method, headers });
  sending.end(body);
  const [response] = await once(sending, 'response');
  if (response.statusCode !== expected) throw new Error(`A request was rejected with ${response.statusCode}.`);
  return response;
}

function percentiles(milliseconds) {
  const sorted = milliseconds.toSorted((left, right) => left - right);
  const percentile = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: percentile(0.5), p99: percentile(0.99) };
}
