import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { InlineProjections } from '#libs/event-store';
import { LiveProjections } from './live-projections.js';
import { ProjectionCatalog } from './projection-catalog.js';
import { ProjectionPreparation } from './projection-preparation.js';
import { ProjectionPruning } from './projection-pruning.js';
import { ProjectionRebuilder } from './projection-rebuilder.js';
import { ProjectionStatuses } from './projection-statuses.js';
import { ProjectionVerification } from './projection-verification.js';
import { ReadModels } from './read-models.js';

/** Provides the projections of all modules and, before anything is served, builds those that are not there. */
@Global()
@Module({
  providers: [
    ProjectionCatalog,
    { provide: InlineProjections, useClass: LiveProjections },
    ProjectionPreparation,
    ProjectionPruning,
    ProjectionRebuilder,
    ProjectionStatuses,
    ProjectionVerification,
    ReadModels,
  ],
  exports: [
    ProjectionCatalog,
    InlineProjections,
    ProjectionPruning,
    ProjectionRebuilder,
    ProjectionStatuses,
    ProjectionVerification,
    ReadModels,
  ],
})
export class ProjectionsModule implements OnModuleInit {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly preparation: ProjectionPreparation,
    private readonly readModels: ReadModels,
  ) {}

  /** All modules have registered in their constructors by now. */
  async onModuleInit(): Promise<void> {
    await this.preparation.prepareAll();
    for (const projection of this.catalog.all()) await this.readModels.current(projection);
  }
}
