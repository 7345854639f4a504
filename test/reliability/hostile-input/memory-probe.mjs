// Preloaded into a service under test, with `--expose-gc`: on SIGUSR2 it writes to standard error what the process holds
// once everything that can be collected is.
import { setImmediate } from 'node:timers';

process.on('SIGUSR2', () => {
  globalThis.gc();
  // What the first collection finalises is collected by the second.
  setImmediate(() => {
    globalThis.gc();
    const { heapUsed, external, rss } = process.memoryUsage();
    const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    process.stderr.write(`probe ${JSON.stringify({ heapUsed, external, rss, sockets })}\n`);
  });
});
