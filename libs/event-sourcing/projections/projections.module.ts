import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { InlineProjections } from '../event-store/append-group.js';
import { LiveProjections, ReadModels } from './live-projections.js';
import { ProjectionCatalog, type Projection } from './projection.js';
import { ProjectionPreparation, ProjectionRebuilder } from './projection-rebuilder.js';
import { ProjectionVerification } from './projection-verification.js';
import { ProjectionPruning, ProjectionStatuses } from './projection-versions.js';

/** Provides the projections of all modules and, before anything is served, builds those that are not there. */
@Module({})
export class ProjectionsModule implements OnModuleInit {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly preparation: ProjectionPreparation,
    private readonly readModels: ReadModels,
  ) {}

  /** @param projections those of all modules */
  static forRoot(projections: readonly Projection[]): DynamicModule {
    const used = [ProjectionPruning, ProjectionRebuilder, ProjectionStatuses, ProjectionVerification, ReadModels];
    return {
      module: ProjectionsModule,
      global: true,
      providers: [
        { provide: ProjectionCatalog, useValue: new ProjectionCatalog(projections) },
        { provide: InlineProjections, useClass: LiveProjections },
        ProjectionPreparation,
        ...used,
      ],
      exports: [ProjectionCatalog, InlineProjections, ...used],
    };
  }

  async onModuleInit(): Promise<void> {
    await this.preparation.prepareAll();
    for (const projection of this.catalog.all()) await this.readModels.current(projection);
  }
}
