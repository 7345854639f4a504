import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/*
 * Sends requests over bare sockets: with a `rate` at so many a second, whether responses come or not, so latency counts from when a request was
 * due and a server that stops for a while is noticed; without one, the next as soon as one is answered. SIGTERM ends it early.
 */
const [{ origin, requests, rate, seconds, connections }] = await once(process, 'message');
const { hostname, port, host } = new URL(origin);
const LAST_RESPONSES_MILLISECONDS = 10_000;
// Until its code is compiled this program is late itself, by tens of milliseconds; what was due before does not count.
const WARM_UP_MILLISECONDS = rate ? 1_000 : 0;
// A timer may come so late; until then waiting takes no processor from the server.
const LATEST_TIMER_MILLISECONDS = 2;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

const messages = requests.flatMap(({ variants = [{}], ...request }) => variants.map((variant) => messageOf({ ...request, ...variant })));
const { numbers, body } = requests[0];
const latencies = [];
let sent = 0;
let answered = 0;
let failed = 0;
let isOver = false;
process.once('SIGTERM', () => (isOver = true));
process.once('disconnect', () => process.exit());

const sockets = await Promise.all(Array.from({ length: connections }, open));
const startedAt = performance.now();
await (rate ? sendAtRate() : sendWhenAnswered());
const milliseconds = performance.now() - startedAt;
const deadline = performance.now() + LAST_RESPONSES_MILLISECONDS;
while (answered < sent && performance.now() < deadline) await delay(1);
latencies.sort((left, right) => left - right);
const p99 = latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * 0.99))];
process.send({ requests: sent, answered, failed, rate: answered / (milliseconds / 1_000), p99 }, () => process.exit());

async function sendAtRate() {
  const total = Math.floor(rate * (seconds + WARM_UP_MILLISECONDS / 1_000));
  while (sent < total && !isOver) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * rate));
    while (sent < due) send(sockets[sent % connections], startedAt + (sent / rate) * 1_000);
    const left = startedAt + ((sent + 1) / rate) * 1_000 - performance.now();
    await (left > LATEST_TIMER_MILLISECONDS ? delay(left - LATEST_TIMER_MILLISECONDS) : nextTurn());
  }
}

async function sendWhenAnswered() {
  for (const connection of sockets) send(connection, performance.now());
  await delay(seconds * 1_000);
  isOver = true;
}

async function open() {
  const connection = { socket: connect(port, hostname), waiting: [], rest: Buffer.alloc(0) };
  connection.socket.setNoDelay(true).on('data', (chunk) => receive(connection, chunk));
  await once(connection.socket, 'connect');
  return connection;
}

function messageOf({ path, method = 'GET', headers = {}, body = '' }) {
  const lines = Object.entries({ host, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

function send({ socket, waiting }, dueAt) {
  const numbered = numbers && messageOf({ ...requests[0], body: body.replace('#', numbers.first + sent) });
  socket.write(numbered ?? messages[sent % messages.length]);
  waiting.push(dueAt);
  sent += 1;
}

function receive(connection, chunk) {
  let bytes = connection.rest.length === 0 ? chunk : Buffer.concat([connection.rest, chunk]);
  for (;;) {
    const headEnd = bytes.indexOf(END_OF_HEAD);
    if (headEnd < 0) break;
    const head = bytes.latin1Slice(0, headEnd);
    const end = headEnd + END_OF_HEAD.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (bytes.length < end) break;
    if (!head.startsWith('HTTP/1.1 2')) failed += 1;
    record(connection);
    bytes = bytes.subarray(end);
  }
  connection.rest = bytes;
}

function record(connection) {
  const dueAt = connection.waiting.shift();
  answered += 1;
  if (dueAt - startedAt >= WARM_UP_MILLISECONDS) latencies.push(performance.now() - dueAt);
  if (!rate && !isOver) send(connection, performance.now());
}
