import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onStage } from '../measurements/stage.mjs';
import { Connection } from './connection.mjs';
import { OPERATIONS } from './operations.mjs';

const COUNTERS = fileURLToPath(new URL('counters.mjs', import.meta.url));
const REQUESTS_IN_A_BATCH = 5;
// The first ones are for what is compiled, cached and opened once. Of the others the least counts: what the service does once a second or
// four times is in some of them.
const BATCHES = 34;
const WARMING_BATCHES = 4;

/**
 * What the service does for a request, sent alone, of each operation, on SQLite.
 * @returns by name of the operation: statements, promises and bytes of the answer for one request
 * @throws Error when an answer is not the expected one
 */
export function countOperations() {
  return onStage({}, async (stage) => {
    const headers = { authorization: `Bearer ${await stage.database.createKey('pets,orders,graphql')}` };
    const server = await stage.serve({ imported: COUNTERS });
    const connection = await Connection.open(server.origin);
    try {
      const counted = {};
      for (const operation of OPERATIONS) counted[operation.name] = await countOne(operation, { server, connection, headers });
      return counted;
    } finally {
      connection.close();
    }
  });
}

async function countOne(operation, given) {
  const batches = [];
  for (let batch = 0; batch < BATCHES; batch += 1) batches.push(await countBatch(operation, batch * REQUESTS_IN_A_BATCH, given));
  const settled = batches.slice(WARMING_BATCHES);
  const least = (figure) => Math.min(...settled.map((batch) => batch[figure]));
  const perRequest = (figure) => Number((least(figure) / REQUESTS_IN_A_BATCH).toFixed(2));
  return { statements: perRequest('statements'), promises: perRequest('promises'), bytes: least('bytes') };
}

async function countBatch({ name, status, requestOf }, first, { server, connection, headers }) {
  const before = await countsOf(server);
  const sizes = [];
  for (let index = first; index < first + REQUESTS_IN_A_BATCH; index += 1) {
    const request = requestOf(index);
    const answer = await connection.send({ ...request, headers: { ...request.headers, ...headers } });
    if (answer.status !== status) throw new Error(`${name} was answered with ${answer.status} instead of ${status}.`);
    sizes.push(answer.bytes);
  }
  const after = await countsOf(server);
  return { statements: after.statements - before.statements, promises: after.promises - before.promises, bytes: Math.max(...sizes) };
}

async function countsOf({ child }) {
  child.send('counts');
  const [counts] = await once(child, 'message');
  return counts;
}
