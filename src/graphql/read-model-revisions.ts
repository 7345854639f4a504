import type { INestApplicationContext } from '@nestjs/common';
import { EnhancedHandlers, type CachedResponsesOptions, type GetRevision } from '#libs/http';
import { ProjectionCatalog, ReadModels } from '#libs/event-sourcing';

/** Returns a function that gives the revision of a read model by the name of its projection. */
export function readModelRevisions(catalog: ProjectionCatalog, readModels: ReadModels): GetRevision {
  return (name) => {
    const projection = catalog.find(name);
    return projection ? readModels.current(projection) : Promise.reject(new Error(`There is no read model ${name}.`));
  };
}

/** Returns the options of the response cache: each response holds for one revision of its read model. */
export function cachedResponsesOptions(app: INestApplicationContext): CachedResponsesOptions {
  const getRevision = readModelRevisions(app.get(ProjectionCatalog), app.get(ReadModels));
  return { getRevision, enhanced: app.get(EnhancedHandlers) };
}
