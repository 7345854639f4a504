import { once } from 'node:events';
import { connect } from 'node:net';

/* Opens streams over bare sockets, sends a message once each has been answered, reads what comes without a look at it, and ends with its parent. */
const [{ origin, path, headers, streams }] = await once(process, 'message');
const { hostname, port, host } = new URL(origin);
const AT_ONCE = 50;
const lines = Object.entries({ host, ...headers, accept: 'text/event-stream' }).map(([name, value]) => `${name}: ${value}\r\n`);

process.once('disconnect', () => process.exit());
for (let opened = 0; opened < streams; opened += AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, streams - opened) }, open));
}
process.send('open');

function open() {
  return new Promise((resolve, reject) => {
    const socket = connect(port, hostname, () => socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`));
    socket.once('data', (first) => {
      if (!first.toString('latin1').startsWith('HTTP/1.1 200')) reject(new Error(`A stream was rejected: ${first}`));
      socket.resume();
      resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      console.error('A stream has ended early.');
      process.exit(1);
    });
  });
}
