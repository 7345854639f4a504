import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { graphqlPage, graphqlPages, list, listPages, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

/** A page over GraphQL beside the same page over REST from the same service; then pages that neither of them keeps. */
export const graphqlMeasurements = [
  { operation: graphqlPage, beside: list, goal: 0.25 },
  { operation: graphqlPages, beside: listPages, goal: 0.8 },
].map(({ operation, beside, goal }) => ({
  name: operation.name,
  run: (options) =>
    onStage({ animals: operation.animals }, async (stage) => {
      const server = await stage.serve();
      const contestants = [
        { server: { ...server, name: 'GraphQL' }, ...withHeaders(operation, stage.headers) },
        { server: { ...server, name: 'REST' }, ...withHeaders(beside, stage.headers) },
      ];
      const measured = await compare(contestants, options);
      const baseline = { name: 'the same pages over REST', measured: measured.get('REST') };
      return [shareRow({ what: `${operation.title}, SQLite`, subject: measured.get('GraphQL'), baseline, goal })];
    }),
}));
