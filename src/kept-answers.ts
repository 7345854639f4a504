import type { INestApplicationContext } from '@nestjs/common';
import type { KeptAnswersOptions } from '#libs/api-kit';
import { Clock } from '#libs/clock';
import { ProjectionCatalog, ReadModels } from '#libs/projections';

/** Answers are kept by the revision of the projection that they are read from. */
export function keptAnswersOf(app: INestApplicationContext): KeptAnswersOptions {
  const [catalog, readModels, clock] = [app.get(ProjectionCatalog), app.get(ReadModels), app.get(Clock)];
  return {
    revisionOf(name) {
      const projection = catalog.find(name);
      return projection ? readModels.current(projection) : Promise.reject(new Error(`There is no read model ${name}.`));
    },
    now: () => clock.now(),
  };
}
