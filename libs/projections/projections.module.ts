import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { InlineProjections } from '#libs/event-store';
import { LiveProjections } from './live-projections.js';
import { ProjectionCatalog } from './projection-catalog.js';
import { ProjectionRebuilder } from './projection-rebuilder.js';
import { ProjectionVerification } from './projection-verification.js';

/** Provides the projections of all modules and, before anything is served, builds those that are not current. */
@Global()
@Module({
  providers: [ProjectionCatalog, { provide: InlineProjections, useClass: LiveProjections }, ProjectionRebuilder, ProjectionVerification],
  exports: [ProjectionCatalog, InlineProjections, ProjectionRebuilder, ProjectionVerification],
})
export class ProjectionsModule implements OnModuleInit {
  constructor(private readonly rebuilder: ProjectionRebuilder) {}

  /** All modules have registered in their constructors by now. */
  async onModuleInit(): Promise<void> {
    await this.rebuilder.ensureCurrent();
  }
}
