import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { graphqlPage, graphqlPages, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

/** A page over GraphQL beside the same page over REST from the same service; then pages that no cached result serves. */
export const graphqlMeasurements = [graphqlPage, graphqlPages].map((operation) => ({
  name: operation.name,
  run: (options) =>
    onStage({ animals: operation.animals }, async (stage) => {
      const server = await stage.serve();
      const contestants = [
        { server: { ...server, name: 'GraphQL' }, ...withHeaders(operation, stage.headers) },
        { server: { ...server, name: 'REST' }, ...withHeaders(list, stage.headers) },
      ];
      const measured = await compare(contestants, options);
      const baseline = { name: 'the REST list', measured: measured.get('REST') };
      return [shareRow({ what: `${operation.title}, SQLite`, subject: measured.get('GraphQL'), baseline, goal: 0.25 })];
    }),
}));
