import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/*
 * Sends requests at a steady rate, whether answers come or not, so that a server that stops for a while is seen to: latency
 * counts from when a request was due. Run as `node paced-load.mjs REQUEST-JSON`; prints its report as JSON.
 */
const { host, port, rate, seconds, connections, path, method = 'GET', headers = {}, body = '' } = JSON.parse(process.argv[2]);
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const lines = Object.entries({ host: `${host}:${port}`, ...headers, ...(body && { 'content-length': Buffer.byteLength(body) }) });
const message = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
const latencies = [];
let unexpected = 0;

const sockets = await Promise.all(Array.from({ length: connections }, open));
const startedAt = performance.now();
const total = Math.floor(rate * seconds);
for (let sent = 0; sent < total;) {
  const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1_000) * rate));
  for (; sent < due; sent += 1) send(sockets[sent % connections], startedAt + (sent / rate) * 1_000);
  await nextTurn();
}
while (sockets.some(({ waiting }) => waiting.length > 0) && performance.now() - startedAt < (seconds + 10) * 1_000) await nextTurn();
latencies.sort((left, right) => left - right);
const percentile = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
const report = {
  sent: total,
  answered: latencies.length,
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

function send({ socket, waiting }, dueAt) {
  waiting.push(dueAt);
  socket.write(message);
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
    latencies.push(performance.now() - connection.waiting.shift());
    bytes = bytes.subarray(end);
  }
  connection.rest = bytes;
}
