import { setTimeout as delay } from 'node:timers/promises';
import { processorSeconds } from '../contestants/processor-time.mjs';
import { figureRow, ratioRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { onStage } from './stage.mjs';

const PAGES = 300;
const PAGE = 20;
const POLL_MILLISECONDS = 250;

/** Each as people ask; the animals' names end with their numbers, and their categories and statuses take turns. */
const FILTERS = {
  'several statuses': 'status=available,sold',
  'a category and a status': 'categoryId=7&status=sold',
  'several categories, newest first': 'categoryId=3,7,11&order=desc',
  'a part of a name': 'name=animal%2012',
  'a moment on': 'addedSince=2020-01-01T00:00:00Z',
  'the status that is missing': 'status=unset',
};

/** Filtered pages of many animals, one after another and each another one, so that none is kept; and the plain list in both directions. */
export const listMeasurements = [
  measurement({ kind: 'sqlite', label: 'SQLite', below: 2 }),
  measurement({ kind: 'postgres', label: 'PostgreSQL', below: 5 }),
];

function measurement({ kind, label, below }) {
  return {
    name: kind === 'sqlite' ? 'lists' : 'lists-postgres',
    needsPostgres: kind === 'postgres',
    run: ({ listed, rounds, postgres }) =>
      onStage({ kind, postgres, animals: listed }, async (stage) => {
        const client = { server: await stage.serve(), headers: stage.headers };
        const built = await secondsUntilBuilt(client);
        const of = `${label}, ${listed.toLocaleString('en-US')} animals`;
        const rows = [figureRow({ what: `built after the start, ${of}`, figure: built, unit: 's' })];
        for (const [what, query] of Object.entries(FILTERS)) {
          const { times } = await followPages(client, query);
          rows.push(figureRow({ what: `page of 20, p50: ${what}, ${of}`, figure: median(times), unit: 'ms', below }));
        }
        return [...rows, await compareDirections(client, { of, rounds })];
      }),
  };
}

async function secondsUntilBuilt({ server, headers }) {
  const start = performance.now();
  while (!(await fetch(`${server.origin}/v1/pets?name=zz&status=unset`, { headers })).ok) await delay(POLL_MILLISECONDS);
  return (performance.now() - start) / 1_000;
}

async function compareDirections(client, { of, rounds }) {
  const turns = { asc: [], desc: [] };
  for (let round = 0; round < rounds; round += 1) {
    // Of another size each time, so that none is kept.
    for (const order of ['asc', 'desc']) {
      turns[order].push(await followPages(client, `order=${order}&limit=${PAGE + round}`));
    }
  }
  const middle = (order, figure) => median(turns[order].map((turn) => turn[figure]));
  const detail = (order) => ` (${(middle(order, 'processorSeconds') * 1_000).toFixed(1)} ms of the processor)`;
  return ratioRow({
    what: `${PAGES} pages newest first, ${of}`,
    figure: PAGES / middle('desc', 'seconds'),
    detail: detail('desc'),
    baseline: 'oldest first',
    baselineFigure: PAGES / middle('asc', 'seconds'),
    baselineDetail: detail('asc'),
    unit: 'pages/s',
    atLeast: 0.9,
  });
}

/** Follows the links of a list. @returns the milliseconds of each page, and what all of them took */
async function followPages({ server: { origin, pid }, headers }, query) {
  const times = [];
  const before = await processorSeconds(pid);
  let path = `/v1/pets?${query}`;
  for (let page = 0; page < PAGES && path; page += 1) {
    const start = performance.now();
    const response = await fetch(origin + path, { headers });
    const text = await response.text();
    times.push(performance.now() - start);
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
    path = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  const seconds = times.reduce((sum, each) => sum + each, 0) / 1_000;
  return { times, seconds, processorSeconds: (await processorSeconds(pid)) - before };
}
