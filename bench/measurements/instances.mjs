import { processorSecondsOfConnections } from '../contestants/postgres.mjs';
import { processorSeconds } from '../contestants/processor-time.mjs';
import { load } from '../load/load.mjs';
import { ratioRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { add, get, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

/** Two instances on one PostgreSQL, the load spread over both, beside one; and whose processor time that took. */
export const instancesMeasurement = {
  name: 'instances',
  needsPostgres: true,
  run: (options) =>
    onStage({ kind: 'postgres', postgres: options.postgres }, async (stage) => {
      const servers = [await stage.serve({ name: 'first' }), await stage.serve({ name: 'second' })];
      const rows = [];
      for (const operation of [list, get, add]) {
        const { request } = withHeaders(operation, stage.headers);
        const turns = { one: [], two: [] };
        // Not counted: it warms both.
        await turn(servers, stage, request, options);
        for (let round = 0; round < options.rounds; round += 1) {
          turns.one.push(await turn(servers.slice(0, 1), stage, request, options));
          turns.two.push(await turn(servers, stage, request, options));
        }
        rows.push(rowOf(operation.title, turns, operation === add ? 1 : undefined));
      }
      return rows;
    }),
};

function rowOf(title, { one, two }, atLeast) {
  const middle = (turns, figure) => median(turns.map((turn) => turn[figure]));
  const cores = (turns) => ` (${middle(turns, 'ofInstances').toFixed(1)} cores, PostgreSQL ${middle(turns, 'ofPostgres').toFixed(1)})`;
  return ratioRow({
    what: `${title}, two instances on PostgreSQL`,
    figure: middle(two, 'rate'),
    detail: cores(two),
    baseline: 'one instance',
    baselineFigure: middle(one, 'rate'),
    baselineDetail: cores(one),
    unit: 'requests/s',
    atLeast,
  });
}

/** The rate of all servers together, and how many cores they and PostgreSQL took. */
async function turn(servers, stage, request, { seconds, connections }) {
  const measure = async () => {
    const ofServers = await Promise.all(servers.map(({ pid }) => processorSeconds(pid)));
    return {
      at: performance.now() / 1_000,
      ofInstances: ofServers.reduce((sum, each) => sum + each, 0),
      ofPostgres: await processorSecondsOfConnections(stage.postgres.url),
    };
  };
  const before = await measure();
  const spread = { seconds, connections: Math.floor(connections / servers.length) };
  const loads = await Promise.all(servers.map(({ origin }) => load({ ...request, url: origin + request.path }, spread)));
  const after = await measure();
  await Promise.all(servers.map((server) => server.clearLog()));
  const coresOf = (figure) => (after[figure] - before[figure]) / (after.at - before.at);
  return {
    rate: loads.reduce((sum, { rate }) => sum + rate, 0),
    ofInstances: coresOf('ofInstances'),
    ofPostgres: coresOf('ofPostgres'),
  };
}
