import { connect } from 'node:net';

/*
 * Keeps streams open and reads what comes without a look at it: forked with LOAD-JSON as its argument, it opens them, sends a message once
 * each has been answered, and ends with its parent or by SIGTERM. Bare sockets, so that it takes next to nothing of the machine.
 */
const { host, port, path, headers, streams } = JSON.parse(process.argv[2]);
const AT_ONCE = 50;
const lines = Object.entries({ host: `${host}:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
const head = `GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;

process.once('disconnect', () => process.exit());
for (let opened = 0; opened < streams; opened += AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, streams - opened) }, open));
}
process.send('open');

function open() {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => socket.write(head));
    socket.once('data', (first) => {
      if (!first.toString('latin1').startsWith('HTTP/1.1 200')) reject(new Error(`A stream was refused: ${first}`));
      socket.resume();
      resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => fail('A stream has ended that was to stay open.'));
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
