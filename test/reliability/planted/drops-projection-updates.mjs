// The update of a projection is dropped at each position that seven divides, and counts as done.
import { ReadModels } from '../../../dist/libs/event-sourcing/projections/read-models.js';
import { replaceMethod } from '../system/replace-method.mjs';

const dropping = (projection) => ({ ...projection, project: () => Promise.resolve() });

replaceMethod(
  ReadModels,
  'apply',
  (apply) =>
    function (transaction, projection, progress, events) {
      const isDropped = events[0].position % 7n === 0n;
      return apply.call(this, transaction, isDropped ? dropping(projection) : projection, progress, events);
    },
);
