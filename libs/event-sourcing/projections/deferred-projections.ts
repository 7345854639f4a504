import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ApplicationError, Timers } from '#libs/observability';
import { PollLoop } from '../processes/poll-loop.js';
import { POLLS } from '../processes/timeouts.js';
import { ReadModels } from './live-projections.js';
import { ProjectionCatalog, type Projection } from './projection.js';
import { ProjectionRebuilder } from './projection-rebuilder.js';

const INTERVAL_MILLISECONDS = 1_000;

/** Builds deferred projections after the start and brings them up to date every second, so that readers need not catch up with much. */
@Injectable()
export class DeferredProjections implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeferredProjections.name);
  private readonly loops: readonly PollLoop[];

  constructor(
    catalog: ProjectionCatalog,
    private readonly rebuilder: ProjectionRebuilder,
    private readonly readModels: ReadModels,
    timers: Timers,
    @Inject(POLLS) private readonly polls: boolean,
  ) {
    const deferred = catalog.all().filter((projection) => projection.deferred);
    this.loops = deferred.map((projection) => new PollLoop(() => this.bringUpToDate(projection), INTERVAL_MILLISECONDS, timers));
  }

  onApplicationBootstrap(): void {
    if (this.polls) for (const loop of this.loops) loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.rebuilder.end(), ...this.loops.map((loop) => loop.end())]);
  }

  private async bringUpToDate(projection: Projection): Promise<void> {
    try {
      await this.rebuilder.prepare(projection);
      await this.readModels.bringUpToDate(projection);
    } catch (error) {
      // The database is away, the service ends or another build took over: the next run tries again.
      if (!(error instanceof ApplicationError)) this.logger.error(error);
    }
  }
}
