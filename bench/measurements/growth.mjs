import { figureRow, ratioRow, shareRow } from '../report/row.mjs';
import { compare, median } from './compare.mjs';
import { add, get, list, oneAt, PAGE, pageFrom, withHeaders } from './requests.mjs';
import { ANIMALS, onStage } from './stage.mjs';

const GOAL = 0.9;

/** A large log beside a small one: how long a start takes, and what the operations and the last page take. */
export const growthMeasurement = {
  name: 'growth',
  run: (options) =>
    onStage({ animals: options.animals }, async (large) => {
      const starts = await measureStarts(large, options);
      const operations = await onStage({}, (small) => measureOperations(large, small, options));
      return [...operations, ...starts];
    }),
};

async function measureOperations(largeStage, smallStage, options) {
  const large = { server: await largeStage.serve(), headers: largeStage.headers };
  const small = { server: await smallStage.serve(), headers: smallStage.headers };
  const count = (animals) => `${animals.toLocaleString('en-US')} animals`;
  const measure = async (title, operation, baseline, { server, headers }, baselineTitle) => {
    const contestants = [
      { server: { ...large.server, name: 'subject' }, ...withHeaders(operation, large.headers) },
      { server: { ...server, name: 'baseline' }, ...withHeaders(baseline, headers) },
    ];
    const measured = await compare(contestants, options);
    return shareRow({
      what: `${title}, ${count(options.animals)}`,
      subject: measured.get('subject'),
      baseline: { name: baselineTitle, measured: measured.get('baseline') },
      goal: GOAL,
    });
  };
  const lastPage = pageFrom(Math.floor(options.animals / 3) - PAGE);
  return [
    await measure(list.title, list, list, small, count(ANIMALS)),
    await measure(get.title, oneAt(Math.floor(options.animals / 2)), oneAt(ANIMALS / 2), small, count(ANIMALS)),
    await measure('last page of 20 by status', lastPage, list, large, 'the first page'),
    // Last, since it changes what the others read.
    await measure(add.title, add, add, small, count(ANIMALS)),
  ];
}

/** Time to the first response on a log and on an empty one. The files are in the system's memory, since they were just written. */
async function measureStarts(large, { rounds }) {
  return onStage({ animals: 0 }, async (empty) => {
    const seconds = { large: [], empty: [] };
    for (let round = 0; round < rounds; round += 1) {
      seconds.large.push(await secondsToReady(large));
      seconds.empty.push(await secondsToReady(empty));
    }
    const what = `start to the first answer, ${large.imported.added.toLocaleString('en-US')} events in the log`;
    const [figure, baselineFigure] = [median(seconds.large), median(seconds.empty)];
    return [
      figureRow({ what, figure, unit: 's', below: 2 }),
      ratioRow({ what, figure, baseline: 'an empty log', baselineFigure, unit: 's', atMost: 1.2 }),
    ];
  });
}

async function secondsToReady(stage) {
  const server = await stage.serve();
  // At once: a file serves one process.
  await server.stop();
  return server.secondsToReady;
}
