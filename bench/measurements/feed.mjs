import { setTimeout as delay } from 'node:timers/promises';
import { residentMegabytes } from '../contestants/processor-time.mjs';
import { runProgram } from '../load/load.mjs';
import { Streams } from '../load/streams.mjs';
import { figureRow, shareRow } from '../report/row.mjs';
import { compare, median } from './compare.mjs';
import { add, list, withHeaders } from './requests.mjs';
import { onBoth, onStage } from './stage.mjs';

const STREAMS = 1_000;
const PATH = '/v1/events';
const ENVIRONMENT = { FEED_STREAMS: '2000', FEED_STREAMS_PER_KEY: '2000' };
// Within it each idle stream gets the first comment that keeps it alive.
const IDLE_MILLISECONDS = 16_000;
const ADDS = 2_000;
const ADDS_A_SECOND = 200;

/** What open streams of events cost, and how soon an event is read from one. */
export const feedMeasurements = onBoth('feed', async (place, options) => [
  ...(place.kind === 'sqlite' ? await memoryRow(place, options) : []),
  ...(await deliveryRows(place, options)),
  ...(await listRow(place, options)),
]);

// Each round starts a service of its own: garbage of earlier requests would be freed meanwhile and hide what the streams take.
async function memoryRow(place, options) {
  const taken = [];
  for (let round = 0; round < options.rounds; round += 1) {
    taken.push(await onStage(place, (stage) => memoryOfStreams(stage)));
  }
  const note = `${Math.min(...taken).toFixed(1)} to ${Math.max(...taken).toFixed(1)} MB in ${taken.length} rounds`;
  const what = `${STREAMS.toLocaleString('en-US')} idle streams: resident memory of a service that has just started, more than before`;
  return [figureRow({ what, figure: median(taken), unit: 'MB', below: 50, note })];
}

async function memoryOfStreams(stage) {
  const server = await stage.serve({ environment: ENVIRONMENT });
  const streams = await streamsAt(stage, server);
  const before = await residentMegabytes(server.pid);
  await streams.open();
  await delay(IDLE_MILLISECONDS);
  const after = await residentMegabytes(server.pid);
  await streams.close();
  return after.now - before.now;
}

function deliveryRows(place, { rounds }) {
  return onStage(place, async (stage) => {
    const server = await stage.serve();
    const headers = await headersWith(stage, 'pets,events');
    const stream = { path: PATH, headers: { ...headers, accept: 'text/event-stream' } };
    const given = { origin: server.origin, adding: withHeaders(add, headers).request, stream, rate: ADDS_A_SECOND, adds: ADDS };
    const reports = [];
    for (let round = 0; round < rounds; round += 1) reports.push(await deliver(given));
    const middle = (since, share) => median(reports.map((report) => report[since][share]));
    const what = `an event read from a stream, since its animal was sent, ${stage.label}`;
    const note = (share) => `${middle('sinceAcknowledged', share).toFixed(1)} ms since it was acknowledged`;
    return [
      figureRow({ what: `${what}: p50 at ${ADDS_A_SECOND} a second`, figure: middle('sinceSent', 'p50'), unit: 'ms', note: note('p50') }),
      figureRow({
        what: `${what}: p99 at ${ADDS_A_SECOND} a second`,
        figure: middle('sinceSent', 'p99'),
        unit: 'ms',
        below: 100,
        note: note('p99'),
      }),
    ];
  });
}

async function deliver(given) {
  const report = await runProgram('delivery-program.mjs', given);
  if (report.missing > 0) throw new Error(`${report.missing} events were not read.`);
  return report;
}

/** One service: the streams are opened and closed between its turns. */
function listRow(place, options) {
  return onStage(place, async (stage) => {
    const server = await stage.serve({ environment: ENVIRONMENT });
    const streams = await streamsAt(stage, server);
    const contestants = [
      { server: { ...server, name: 'with' }, ...withHeaders(list, stage.headers), prepare: () => streams.open() },
      { server: { ...server, name: 'without' }, ...withHeaders(list, stage.headers), prepare: () => streams.close() },
    ];
    const measured = await compare(contestants, options);
    await streams.close();
    const what = `${list.title}, beside ${STREAMS.toLocaleString('en-US')} idle streams, ${stage.label}`;
    const baseline = { name: 'the same service without streams', measured: measured.get('without') };
    return [shareRow({ what, subject: measured.get('with'), baseline, goal: 0.95, spread: true })];
  });
}

async function streamsAt(stage, { origin }) {
  return new Streams(origin, { path: PATH, headers: await headersWith(stage, 'events') }, STREAMS);
}

async function headersWith(stage, scopes) {
  return { authorization: `Bearer ${await stage.database.createKey(scopes)}` };
}
