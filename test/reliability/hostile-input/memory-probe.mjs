// Preloaded into a service under test, with `--expose-gc`: on SIGUSR2 it writes to standard error what the process holds
// once everything that can be collected is.
import { subscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers';

// Connections that the process has taken; not those of its own to a database.
let sockets = 0;
subscribe('net.server.socket', ({ socket }) => {
  sockets += 1;
  socket.once('close', () => (sockets -= 1));
});

process.on('SIGUSR2', () => {
  globalThis.gc();
  // What the first collection finalises is collected by the second.
  setImmediate(() => {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.stderr.write(`probe ${JSON.stringify({ heapUsed, external, rss, sockets })}\n`);
  });
});
