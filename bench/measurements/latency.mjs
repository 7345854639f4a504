import { load, pace } from '../load/load.mjs';
import { startConstant, startPromises } from './http.mjs';
import { figureRow } from '../report/row.mjs';
import { median } from './compare.mjs';
import { add, withHeaders } from './requests.mjs';
import { ANIMALS, onBoth, onStage } from './stage.mjs';

/**
 * The 99th percentile of the latency of adds that come at half the highest rate, whether responses come or not, beside a service with the same
 * promises and beside constant bytes of `node:http`: what the machine and the load themselves add.
 */
export const latencyMeasurements = onBoth('latency', (place, options) =>
  onStage(place, async (stage) => {
    const adding = withHeaders(add, stage.headers);
    const service = { title: 'the service', server: await stage.serve(), ...adding };
    const promises = await startPromises(stage, options, { animals: ANIMALS });
    const constant = await stage.add(startConstant(service));
    const beside = [promises, constant].map((server) => ({ title: server.title, server, ...adding }));
    const turns = await measureInTurns([service, ...beside], options);
    return turns.map(({ title, figure, note }, index) =>
      figureRow({
        what: `${add.title}, ${stage.label}: p99 at half the highest rate, ${title}`,
        figure,
        unit: 'ms',
        note,
        ...(index === 0 && { below: stage.kind === 'sqlite' ? 20 : 30 }),
      }),
    );
  }),
);

/** By contestant, in their order: the median of its rounds, and a note if requests failed. */
async function measureInTurns(contestants, options) {
  const turns = contestants.map(() => []);
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, contestant] of contestants.entries()) turns[index].push(await takeTurn(contestant, options));
  }
  return contestants.map(({ title }, index) => {
    const failed = turns[index].reduce((sum, turn) => sum + turn.failed, 0);
    return { title, figure: median(turns[index].map(({ p99 }) => p99)), note: failed === 0 ? '' : `${failed} requests failed` };
  });
}

async function takeTurn({ server: { origin }, request }, { seconds, connections }) {
  const { rate } = await load({ ...request, url: origin + request.path }, { seconds, connections });
  return pace(origin, [request], { rate: rate / 2, seconds, connections });
}
