import { load, pace } from '../load/load.mjs';
import { startConstant } from './http.mjs';
import { figureRow, ratioRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { add, get, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const WHAT = 'p99 at half the highest rate';
const BELOW_MILLISECONDS = 5;
// Where the machine and the load alone take longer than the goal, nothing served on it can meet it.
const MOST_OF_CONSTANT = { list: 1.5, get: 1.5, add: 2 };

/**
 * The 99th percentile of the latency while requests come at half the highest rate, whether responses come or not. The operations take turns
 * with the list's bytes from `node:http`, at half of its own highest rate: what the machine and the load themselves add.
 */
export const latencyMeasurements = [
  { name: 'latency', kind: 'sqlite', label: 'SQLite', operations: [list, get, add] },
  { name: 'latency-postgres', kind: 'postgres', label: 'PostgreSQL', operations: [add] },
].map(({ name, kind, label, operations }) => ({
  name,
  needsPostgres: kind === 'postgres',
  run: (options) =>
    onStage({ kind, postgres: options.postgres }, async (stage) => {
      const server = await stage.serve();
      const constant = await stage.add(startConstant({ server, ...withHeaders(list, stage.headers) }));
      const contestants = [
        { title: constant.title, server: constant, request: list.request },
        ...operations.map((operation) => ({
          title: `${operation.title}, ${label}`,
          atMost: MOST_OF_CONSTANT[operation.name],
          server,
          ...withHeaders(operation, stage.headers),
        })),
      ];
      const [beside, ...measured] = await measureInTurns(contestants, options);
      return [figureRow({ ...beside, what: `${beside.title}: ${WHAT}`, unit: 'ms' }), ...measured.map((each) => rowOf(each, beside))];
    }),
}));

/** By contestant, in their order: the median of its rounds, and a note if requests failed. */
async function measureInTurns(contestants, options) {
  const turns = contestants.map(() => []);
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) turns[index].push(await takeTurn(contestant, options));
  }
  return contestants.map(({ title, atMost }, index) => {
    const failed = turns[index].reduce((sum, turn) => sum + turn.failed, 0);
    const note = failed === 0 ? '' : `${failed} requests failed`;
    return { title, atMost, figure: median(turns[index].map(({ p99 }) => p99)), note };
  });
}

async function takeTurn({ server: { origin }, request }, { seconds, connections }) {
  const { rate } = await load({ ...request, url: origin + request.path }, { seconds, connections });
  return pace(origin, [request], { rate: rate / 2, seconds, connections });
}

function rowOf({ title, atMost, figure, note }, beside) {
  const detail = note && `, ${note}`;
  const row = ratioRow({
    what: `${title}: ${WHAT}`,
    figure,
    detail,
    baseline: beside.title,
    baselineFigure: beside.figure,
    unit: 'ms',
    atMost,
  });
  const goal = `below ${BELOW_MILLISECONDS} ms, or ${row.goal} of \`node:http\``;
  return { ...row, goal, met: figure < BELOW_MILLISECONDS || row.met };
}
