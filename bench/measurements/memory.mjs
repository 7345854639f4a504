import { residentMegabytes } from '../contestants/processor-time.mjs';
import { load } from '../load/load.mjs';
import { figureRow, ratioRow } from '../report/row.mjs';
import { add, get, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const THIRDS = 3;
const BELOW = 250;

/** Resident memory of the service under load, and whether it goes on growing; then of many starts, since V8 decides anew in each. */
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
      await server.stop();
      const [first, last] = [atEndOfThird.at(0), atEndOfThird.at(-1)];
      const what = 'resident memory under list, get and add, SQLite';
      return [
        figureRow({ what: `${what}: highest`, figure: last.highest, unit: 'MB', below: BELOW }),
        ratioRow({
          what: `${what}: at the end`,
          figure: last.now,
          baseline: 'after a third of the load',
          baselineFigure: first.now,
          unit: 'MB',
          atMost: 1.1,
        }),
        await overStarts(stage, options),
      ];
    }),
};

/** The highest of several processes, each under the list's load alone. */
async function overStarts(stage, { rounds, seconds, connections }) {
  const highest = [];
  for (let start = 0; start < 2 * rounds; start += 1) {
    const server = await stage.serve({ name: `start-${start}` });
    const { request } = withHeaders(list, stage.headers);
    await load({ ...request, url: server.origin + request.path }, { seconds, connections });
    highest.push((await residentMegabytes(server.pid)).highest);
    await server.stop();
  }
  const what = `resident memory under the list, SQLite: highest of ${highest.length} starts`;
  return figureRow({
    what,
    figure: Math.max(...highest),
    unit: 'MB',
    below: BELOW,
    note: `${Math.min(...highest).toFixed(0)} MB the least`,
  });
}

async function loadWithAll(server, headers, { seconds, connections }) {
  for (const operation of [list, get, add]) {
    const { request } = withHeaders(operation, headers);
    await load({ ...request, url: server.origin + request.path }, { seconds, connections });
    await server.clearLog();
  }
}
