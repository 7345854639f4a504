import { figureRow, ratioRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { onStage } from './stage.mjs';

/**
 * How long the service takes to answer after it was started on a log, beside an empty one. The files are in the system's memory, since
 * they were just written.
 */
export async function measureStarts(stage, { rounds }) {
  return onStage({ animals: 0 }, async (empty) => {
    const seconds = { withLog: [], empty: [] };
    for (let round = 0; round < rounds; round += 1) {
      seconds.withLog.push(await secondsToReady(stage));
      seconds.empty.push(await secondsToReady(empty));
    }
    const what = `start to the first answer, ${stage.imported.added.toLocaleString('en-US')} events in the log`;
    const [figure, baselineFigure] = [median(seconds.withLog), median(seconds.empty)];
    return [
      figureRow({ what, figure, unit: 's', below: 2 }),
      ratioRow({ what, figure, baseline: 'an empty log', baselineFigure, unit: 's', atMost: 1.2 }),
    ];
  });
}

/** The server is stopped at once: a file serves one process. */
async function secondsToReady(stage) {
  const server = await stage.serve();
  await server.stop();
  return server.secondsToReady;
}
