import { shareRow } from '../report/row.mjs';
import { compare } from './compare.mjs';
import { startPromises } from './http.mjs';
import { graphqlPage, graphqlPages, list, listPages, withHeaders } from './requests.mjs';
import { ANIMALS, onStage } from './stage.mjs';

/**
 * A page over GraphQL beside the same page over REST, from the same service and from one with the same promises; then pages that none of
 * them keeps.
 */
export const graphqlMeasurements = [
  { operation: graphqlPage, beside: list },
  { operation: graphqlPages, beside: listPages, goal: 0.6 },
].map(({ operation, beside, goal }) => ({
  name: operation.name,
  run: (options) =>
    onStage({ animals: operation.animals }, async (stage) => {
      const server = await stage.serve();
      const promises = await startPromises(stage, options, { animals: operation.animals ?? ANIMALS });
      const contestants = [
        { server: { ...server, name: 'GraphQL' }, ...withHeaders(operation, stage.headers) },
        { server: { ...server, name: 'REST' }, ...withHeaders(beside, stage.headers) },
        { server: promises, ...withHeaders({ ...beside, ...beside.handWritten }, stage.headers) },
      ];
      const measured = await compare(contestants, options);
      const rowBeside = (name, other, least) =>
        shareRow({
          what: `${operation.title}, SQLite`,
          subject: measured.get('GraphQL'),
          baseline: { name, measured: measured.get(other) },
          goal: least,
        });
      return [
        rowBeside(`the same over REST: ${promises.title}`, promises.name, goal),
        rowBeside('the same over REST of the service', 'REST'),
      ];
    }),
}));
