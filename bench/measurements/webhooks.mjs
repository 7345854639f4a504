import { Agent, request as send } from 'node:http';
import { Receiver } from '../load/receiver.mjs';
import { figureRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { add, withHeaders } from './requests.mjs';
import { onBoth, onStage } from './stage.mjs';

const EVENTS = 10_000;
const SENDERS = 32;
const ENVIRONMENT = { WEBHOOK_ALLOW_LOOPBACK: 'true' };

/** How soon everything that happens is delivered to one endpoint. */
export const webhookMeasurements = onBoth('webhooks', (place, { rounds }) =>
  onStage(place, async (stage) => {
    // In production nothing is sent to this machine.
    stage.database.deployment = 'staging';
    const server = await stage.serve({ environment: ENVIRONMENT });
    const headers = { authorization: `Bearer ${await stage.database.createKey('pets,events,webhooks')}` };
    const taken = [];
    for (let round = 0; round < rounds; round += 1) taken.push(await deliverAll(server.origin, headers));
    const what = `${EVENTS.toLocaleString('en-US')} events to one webhook endpoint, since the first animal was sent, ${stage.label}`;
    const note = `${Math.min(...taken).toFixed(1)} to ${Math.max(...taken).toFixed(1)} s in ${taken.length} rounds`;
    return [figureRow({ what, figure: median(taken), unit: 's', below: 10, note })];
  }),
);

async function deliverAll(origin, headers) {
  const receiver = await Receiver.open();
  const agent = new Agent({ keepAlive: true });
  const json = { ...headers, 'content-type': 'application/json' };
  const { id } = await answerTo(agent, origin, {
    path: '/v1/webhooks',
    method: 'POST',
    headers: json,
    body: JSON.stringify({ url: receiver.url }),
  });
  const startedAt = performance.now();
  const { request } = withHeaders(add, headers);
  let left = EVENTS;
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      await answerTo(agent, origin, request);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  await receiver.received(EVENTS);
  const seconds = (performance.now() - startedAt) / 1_000;
  await answerTo(agent, origin, { path: `/v1/webhooks/${id}`, method: 'DELETE', headers });
  receiver.close();
  agent.destroy();
  return seconds;
}

function answerTo(agent, origin, { path, method, headers, body }) {
  return new Promise((resolve, reject) => {
    const sending = send(origin + path, { agent, method, headers }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (part) => (text += part));
      response.on('end', () => {
        if (response.statusCode >= 300) reject(new Error(`${method} ${path} was refused with ${response.statusCode}: ${text}`));
        else resolve(text === '' ? {} : JSON.parse(text));
      });
    });
    sending.once('error', reject);
    sending.end(body);
  });
}
