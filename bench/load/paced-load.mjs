import { connect } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/*
 * Sends requests at a steady rate, whether answers come or not, so that a server that stops for a while is seen to: latency
 * counts from when a request was due. Run as `node paced-load.mjs LOAD-JSON`; prints its report as JSON, also when SIGTERM ends it early.
 */
const { host, port, rate, seconds, connections, requests } = JSON.parse(process.argv[2]);
const LAST_ANSWERS_MILLISECONDS = 10_000;
// Until its code is compiled this program is late itself, by tens of milliseconds; what was due before does not count.
const WARM_UP_MILLISECONDS = 1_000;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
// A timer may come so late; until then waiting takes no processor from the server.
const LATEST_TIMER_MILLISECONDS = 2;
const messages = requests.map(messageOf);
const latencies = [];
let unexpected = 0;
let answered = 0;
let total = Math.floor(rate * (seconds + WARM_UP_MILLISECONDS / 1_000));
let sent = 0;
process.once('SIGTERM', () => (total = sent));

const sockets = await Promise.all(Array.from({ length: connections }, open));
const startedAt = performance.now();
while (sent < total) {
  const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * rate));
  for (; sent < due; sent += 1) send(sent, startedAt + (sent / rate) * 1_000);
  const millisecondsLeft = startedAt + ((sent + 1) / rate) * 1_000 - performance.now();
  await (millisecondsLeft > LATEST_TIMER_MILLISECONDS ? delay(millisecondsLeft - LATEST_TIMER_MILLISECONDS) : nextTurn());
}
const endedAt = performance.now();
while (sockets.some(({ waiting }) => waiting.length > 0) && performance.now() - endedAt < LAST_ANSWERS_MILLISECONDS) await nextTurn();
latencies.sort((left, right) => left - right);
const percentile = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
const report = {
  sent,
  answered,
  unexpected,
  p50: percentile(0.5),
  p99: percentile(0.99),
  worst: latencies.at(-1),
};
process.stdout.write(JSON.stringify(report));
process.exit();

function open() {
  return new Promise((resolve, reject) => {
    const connection = { socket: connect(port, host), waiting: [], rest: Buffer.alloc(0) };
    connection.socket.setNoDelay(true);
    connection.socket.once('connect', () => resolve(connection));
    connection.socket.once('error', reject);
    connection.socket.on('data', (chunk) => receive(connection, chunk));
  });
}

function messageOf({ path, method = 'GET', headers = {}, body = '' }) {
  const lines = Object.entries({ host: `${host}:${port}`, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

function send(index, dueAt) {
  const { socket, waiting } = sockets[index % connections];
  waiting.push(dueAt);
  socket.write(messages[index % messages.length]);
}

function receive(connection, chunk) {
  let bytes = connection.rest.length === 0 ? chunk : Buffer.concat([connection.rest, chunk]);
  for (;;) {
    const headEnd = bytes.indexOf(END_OF_HEAD);
    if (headEnd < 0) break;
    const head = bytes.latin1Slice(0, headEnd);
    const end = headEnd + END_OF_HEAD.length + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (bytes.length < end) break;
    if (!/^HTTP\/1\.1 2/.test(head)) unexpected += 1;
    record(connection.waiting.shift());
    bytes = bytes.subarray(end);
  }
  connection.rest = bytes;
}

function record(dueAt) {
  answered += 1;
  if (dueAt - startedAt >= WARM_UP_MILLISECONDS) latencies.push(performance.now() - dueAt);
}
