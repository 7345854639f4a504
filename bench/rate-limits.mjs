import { fork } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';

/*
 * What authentication and rate limits cost: the list of animals with them and without, each a service of its own with the same
 * 1,000 animals, measured in turns so that both see the same machine.
 */
const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 32;
const MOST_COST = 0.2;

async function startService(variant) {
  const child = fork(new URL('service.mjs', import.meta.url), [variant]);
  const [{ origin, key }] = await once(child, 'message');
  return { variant, child, url: `${origin}/v1/pets`, headers: { authorization: `Bearer ${key}` } };
}

/** Requests in a second, and requests in a second of the service's processor time, which other load on the machine does not change. */
async function measure({ child, url, headers }, duration) {
  const before = await processorSeconds(child);
  const result = await autocannon({ url, headers, duration, connections: CONNECTIONS });
  const seconds = (await processorSeconds(child)) - before;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were no success, ${result.errors} failed.`);
  return { rate: Math.round(result.requests.average), work: Math.round(result.requests.total / seconds) };
}

async function processorSeconds(child) {
  child.send('processor time');
  const [{ processorSeconds: seconds }] = await once(child, 'message');
  return seconds;
}

function median(values) {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)];
}

const services = [await startService('without'), await startService('with')];
const measured = { without: [], with: [] };
for (const service of services) await measure(service, 2);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const service of round % 2 === 0 ? services : [...services].reverse()) {
    measured[service.variant].push(await measure(service, SECONDS));
  }
  const [without, limited] = [measured.without[round], measured.with[round]];
  console.log(
    `round ${round + 1}: ${without.rate} requests/s without, ${limited.rate} with; in a second of processor time ${without.work} and ${limited.work}`,
  );
}
for (const { child } of services) child.kill();

const kept = (figure) => median(measured.with.map((limited, round) => limited[figure] / measured.without[round][figure]));
console.log(`With authentication and rate limits the list keeps ${percent(kept('rate'))} of its requests in a second,`);
console.log(`and ${percent(kept('work'))} of its requests in a second of processor time.`);
if (1 - kept('work') > MOST_COST) {
  console.error(`It must keep ${percent(1 - MOST_COST)}.`);
  process.exitCode = 1;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
