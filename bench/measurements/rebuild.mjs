import { pace } from '../load/load.mjs';
import { figureRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { add, get, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const REQUESTS_A_SECOND = 500;
// Far more than it takes; the load ends with the rebuild.
const MOST_SECONDS = 3_600;

/** `projections rebuild` of the animals beside the service, and what clients of the service see of it meanwhile. */
export const rebuildMeasurement = {
  name: 'rebuild',
  run: (options) =>
    onStage({ animals: options.imported }, async (stage) => {
      const server = await stage.serve();
      const requests = [list, get, add].map((operation) => withHeaders(operation, stage.headers).request);
      const turn = async (...command) => {
        const running = timed(() => stage.database.command('projections', ...command));
        const duration = { seconds: MOST_SECONDS, until: running };
        const load = pace(server.origin, requests, { rate: REQUESTS_A_SECOND, connections: options.connections, ...duration });
        return { ...(await running), ...(await load) };
      };
      const turns = [];
      for (let round = 0; round < options.rounds; round += 1) {
        turns.push({ status: await turn('status'), rebuild: await turn('rebuild', 'pets') });
      }
      return rowsOf(turns, options);
    }),
};

function rowsOf(turns, { imported }) {
  const what = `rebuild of ${imported.toLocaleString('en-US')} animals beside the service`;
  // The command's own start and end are left out: what `projections status` takes.
  const rates = turns.map(({ status, rebuild }) => JSON.parse(rebuild.printed).position / (rebuild.seconds - status.seconds));
  const [p99, without] = ['rebuild', 'status'].map((command) => median(turns.map((turn) => turn[command].p99)));
  const failed = turns.reduce((sum, { rebuild }) => sum + rebuild.failed, 0);
  const load = `${REQUESTS_A_SECOND} requests/s meanwhile, a third of them adding`;
  const note = `${without.toFixed(1)} ms beside \`projections status\`${failed === 0 ? '' : `; ${failed} requests failed`}`;
  return [
    figureRow({ what, figure: median(rates), unit: 'events/s', atLeast: 100_000, note: load }),
    figureRow({ what: `${what}: p99 of the answers`, figure: p99, unit: 'ms', below: 50, note }),
  ];
}

async function timed(work) {
  const startedAt = performance.now();
  const printed = await work();
  return { printed, seconds: (performance.now() - startedAt) / 1_000 };
}
