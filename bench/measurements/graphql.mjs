import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { graphqlPage, graphqlPages, list, restPages, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

const REST_LIST = { name: 'the REST list', operation: list, goal: 0.25 };
const REST_PAGES = { name: 'the REST list, a different page each time', operation: restPages };

/** A page of animals over GraphQL beside the same page over REST, from the same service; then pages that no kept answer serves. */
export const graphqlMeasurements = [
  { operation: graphqlPage, baselines: [REST_LIST] },
  { operation: graphqlPages, baselines: [REST_LIST, REST_PAGES] },
].map(({ operation, baselines }) => ({
  name: operation.name,
  run: (options) => onStage({ animals: operation.animals }, (stage) => measure(stage, { operation, baselines }, options)),
}));

async function measure(stage, { operation, baselines }, options) {
  const server = await stage.serve();
  const asked = (name, request) => ({ server: { ...server, name }, ...withHeaders(request, stage.headers) });
  const overRest = baselines.map((baseline) => asked(baseline.name, baseline.operation));
  const measured = await compare([asked('GraphQL', operation), ...overRest], options);
  return baselines.map(({ name, goal }) =>
    shareRow({
      what: `${operation.title}, SQLite`,
      subject: measured.get('GraphQL'),
      baseline: { name, measured: measured.get(name) },
      goal,
    }),
  );
}
