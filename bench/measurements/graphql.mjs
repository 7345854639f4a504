import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { graphqlPage, list, withHeaders } from './requests.mjs';
import { onStage } from './stage.mjs';

/** A page of animals over GraphQL beside the same page over REST, from the same service. */
export const graphqlMeasurement = {
  name: 'graphql',
  run: (options) =>
    onStage({}, async (stage) => {
      const server = await stage.serve();
      const overGraphql = { server: { ...server, name: 'GraphQL' }, ...withHeaders(graphqlPage, stage.headers) };
      const overRest = { server: { ...server, name: 'REST' }, ...withHeaders(list, stage.headers) };
      const measured = await compare([overGraphql, overRest], options);
      const baseline = { name: 'the REST list', measured: measured.get('REST') };
      return [shareRow({ what: `${graphqlPage.title}, SQLite`, subject: measured.get('GraphQL'), baseline, goal: 0.25 })];
    }),
};
