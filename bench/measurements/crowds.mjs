import { Receiver } from '../load/receiver.mjs';
import { Streams } from '../load/streams.mjs';
import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { add, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const ANIMALS = 60_000;
const READERS = 10;
const ENDPOINTS = 300;
const READING = { FEED_STREAMS_PER_KEY: '100' };
const SENDING = { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOKS_PER_KEY: String(ENDPOINTS) };

/** What others get of a service that has much to read out or to send. */
export const crowdsMeasurement = {
  name: 'crowds',
  run: async (options) => [await besideReaders(options), await besideEndpoints(options)],
};

/** One service: the streams are opened and closed between its turns, and read the whole log each time. */
function besideReaders(options) {
  return onStage({ animals: ANIMALS }, async (stage) => {
    const server = await stage.serve({ environment: READING });
    const headers = { authorization: `Bearer ${await stage.database.createKey('events')}` };
    const streams = new Streams(server.origin, { path: '/v1/events?after=earliest', headers }, READERS);
    const contestants = [
      { server: { ...server, name: 'with' }, ...withHeaders(list, stage.headers), prepare: () => streams.open() },
      { server: { ...server, name: 'without' }, ...withHeaders(list, stage.headers), prepare: () => streams.close() },
    ];
    const measured = await compare(contestants, options);
    await streams.close();
    const what = `${list.title}, beside ${READERS} streams that read ${ANIMALS.toLocaleString('en-US')} events, SQLite`;
    const baseline = { name: 'the same service without streams', measured: measured.get('without') };
    return shareRow({ what, subject: measured.get('with'), baseline, spread: true });
  });
}

/** Two services: only one of them has endpoints. */
function besideEndpoints(options) {
  return onStage({}, (without) =>
    onStage({}, async (stage) => {
      // In production nothing is sent to this machine.
      stage.database.deployment = 'staging';
      const receiver = await Receiver.open();
      const server = await stage.serve({ name: 'with', environment: SENDING });
      const headers = { authorization: `Bearer ${await stage.database.createKey('pets,events,webhooks')}` };
      for (let endpoint = 0; endpoint < ENDPOINTS; endpoint += 1) await register(server.origin, headers, receiver.url);
      const contestants = [
        { server, ...withHeaders(add, headers) },
        { server: await without.serve({ name: 'without' }), ...withHeaders(add, without.headers) },
      ];
      const measured = await compare(contestants, options);
      receiver.close();
      const what = `${add.title}, with ${ENDPOINTS} webhook endpoints, SQLite`;
      const baseline = { name: 'a service without endpoints', measured: measured.get('without') };
      return shareRow({ what, subject: measured.get('with'), baseline, spread: true });
    }),
  );
}

async function register(origin, headers, url) {
  const json = { ...headers, 'content-type': 'application/json' };
  const { status } = await fetch(`${origin}/v1/webhooks`, { method: 'POST', headers: json, body: JSON.stringify({ url }) });
  if (status !== 201) throw new Error(`A webhook endpoint was refused with ${status}.`);
}
