import { residentMegabytes } from '../contestants/processor-time.mjs';
import { load } from '../load/load.mjs';
import { figureRow, ratioRow } from '../report/row.mjs';
import { add, get, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const THIRDS = 3;

/** Resident memory of the service under load, and whether it goes on growing. */
export const memoryMeasurement = {
  name: 'memory',
  run: (options) =>
    onStage({}, async (stage) => {
      const server = await stage.serve();
      const atEndOfThird = [];
      for (let third = 0; third < THIRDS; third += 1) {
        for (let round = 0; round < options.rounds; round += 1) await loadWithAll(server, stage.headers, options);
        atEndOfThird.push(await residentMegabytes(server.pid));
      }
      const [first, last] = [atEndOfThird.at(0), atEndOfThird.at(-1)];
      const what = 'resident memory under list, get and add, SQLite';
      return [
        figureRow({ what: `${what}: highest`, figure: last.highest, unit: 'MB', below: 250 }),
        ratioRow({
          what: `${what}: at the end`,
          figure: last.now,
          baseline: 'after a third of the load',
          baselineFigure: first.now,
          unit: 'MB',
          atMost: 1.1,
        }),
      ];
    }),
};

async function loadWithAll(server, headers, { seconds, connections }) {
  for (const operation of [list, get, add]) {
    const { request } = withHeaders(operation, headers);
    await load({ ...request, url: server.origin + request.path }, { seconds, connections });
    await server.clearLog();
  }
}
