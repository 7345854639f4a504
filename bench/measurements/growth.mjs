import { figureRow, ratioRow, shareRow } from '../report/row.mjs';
import { compare, median } from './compare.mjs';
import { add, filteredPages, get, list, oneAt, withHeaders } from './requests.mjs';
import { ANIMALS, onBoth, onStage } from './stage.mjs';

const GOAL = 0.9;
const SOME = 100_000;

/** What the operations and a start take with many animals, beside 1,000. */
export const growthMeasurements = onBoth('growth', (place, options) =>
  onStage(place, async (small) => {
    const rows = [];
    for (const animals of [SOME, options.animals]) {
      rows.push(...(await onStage({ ...place, animals }, (large) => measure(large, small, { animals, options }))));
    }
    return rows;
  }),
);

async function measure(large, small, { animals, options }) {
  const title = (what) => `${what}, ${large.label}, ${animals.toLocaleString('en-US')} animals`;
  const baseline = `${ANIMALS.toLocaleString('en-US')} animals`;
  const starts = await measureStarts(large, small, options);
  const servers = [await large.serve({ name: 'large' }), await small.serve({ name: 'small' })];
  const rows = [];
  // Adding is last, since it changes what the others read.
  for (const operation of [list, filteredPages, get, add]) {
    const atMiddle = operation === get ? oneAt(animals / 2) : operation;
    const contestants = [
      { server: servers[0], ...withHeaders(atMiddle, large.headers) },
      { server: servers[1], ...withHeaders(operation, small.headers) },
    ];
    const measured = await compare(contestants, options);
    const beside = { name: baseline, measured: measured.get('small') };
    rows.push(shareRow({ what: title(operation.title), subject: measured.get('large'), baseline: beside, goal: GOAL }));
  }
  await Promise.all(servers.map((server) => server.stop()));
  const what = title('start to the first response');
  const [figure, baselineFigure] = starts;
  return [
    ...rows,
    figureRow({ what, figure, unit: 's', below: 2 }),
    ratioRow({ what, figure, baseline, baselineFigure, unit: 's', atMost: 1.1 }),
  ];
}

/** Seconds to the first response, medians. What the database has written is in the system's memory. */
async function measureStarts(large, small, { rounds }) {
  const seconds = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    seconds[0].push(await secondsToReady(large));
    seconds[1].push(await secondsToReady(small));
  }
  return seconds.map(median);
}

async function secondsToReady(stage) {
  const server = await stage.serve();
  // At once: a file serves one process.
  await server.stop();
  return server.secondsToReady;
}
