import type { INestApplicationContext } from '@nestjs/common';
import type { KeptAnswersOptions, RevisionOf } from '#libs/api-kit';
import { Clock } from '#libs/clock';
import { ProjectionCatalog, ReadModels } from '#libs/projections';

/** Answers are kept by the revision of the projection that they are read from. */
export function keptAnswersOf(app: INestApplicationContext): KeptAnswersOptions {
  const clock = app.get(Clock);
  return { revisionOf: revisions(app.get(ProjectionCatalog), app.get(ReadModels)), now: () => clock.now() };
}

/** The revision of a read model by the name of its projection. */
export function revisions(catalog: ProjectionCatalog, readModels: ReadModels): RevisionOf {
  return (name) => {
    const projection = catalog.find(name);
    return projection ? readModels.current(projection) : Promise.reject(new Error(`There is no read model ${name}.`));
  };
}
