// A process that has loaded what the service needs of packages, which is most of what a start takes, and serves when it is signalled to,
// and tells when it does.
// Usage: forked, with [--inspect] for a debugger at port 9229; ends with the process that forked it.
import { readFileSync } from 'node:fs';
import inspector from 'node:inspector';

const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const loaded = load(Object.keys(dependencies));
process.once('message', async () => {
  await loaded;
  if (process.argv.includes('--inspect')) inspector.open();
  // So that the service can end by itself.
  process.channel.unref();
  await import('../../dist/src/main.js');
  process.send('serves');
});
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

// One after the other: a CommonJS package cannot require a module that is only half loaded.
async function load(names) {
  // What cannot be loaded is for the service to complain of.
  for (const name of names) await import(name).catch(() => undefined);
}
