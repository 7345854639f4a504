import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Clock, MetricsRegistry, Timers } from '#libs/observability';
import { Database, deleteOldest, entityTable, type RetentionRule } from '#libs/database';
import { PollLoop, ProjectionRebuilder } from '#libs/event-sourcing';

export const RETENTION_RULES = Symbol('retention rules');

const INTERVAL_MILLISECONDS = 10 * 60_000;
// Such a transaction takes a few milliseconds; in the pause after it others get the write lock.
const ROWS_IN_ONE_TRANSACTION = 500;
const PAUSE_MILLISECONDS = 20;

/** Removes expired rows and abandoned tables, at the start and every ten minutes. Several instances may do so at the same time. */
@Injectable()
export class RetentionSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RetentionSchedule.name);
  private readonly removed: Counter<'table'>;
  private readonly loop: PollLoop;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly projections: ProjectionRebuilder,
    private readonly timers: Timers,
    registry: MetricsRegistry,
    @Inject(RETENTION_RULES) private readonly rules: readonly RetentionRule[],
  ) {
    this.loop = new PollLoop(() => this.removeAll(), INTERVAL_MILLISECONDS, timers);
    this.removed = new Counter({
      name: 'adoption_retention_removed_total',
      help: 'Rows that this instance removed because they need not be kept any longer',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.loop.end();
  }

  /** Resolves when nothing is left to remove, or after a failure, which is logged and retried by the next run. */
  run(): Promise<void> {
    return this.loop.run();
  }

  private async removeAll(): Promise<void> {
    const report = (rows: string) => (error: unknown) =>
      this.logger.error(`${rows} cannot be removed; a later run retries: ${String(error)}`);
    for (const rule of this.rules) await this.remove(rule).catch(report(`Expired rows of ${entityTable(rule.entity).name}`));
    await this.projections.removeAbandoned().catch(report('Tables abandoned by rebuilds'));
  }

  private async remove({ keepFor, ...rows }: RetentionRule): Promise<void> {
    const before = new Date(this.clock.now().getTime() - keepFor);
    for (let count = ROWS_IN_ONE_TRANSACTION; count === ROWS_IN_ONE_TRANSACTION && !this.loop.isEnding;) {
      count = await deleteOldest(this.database, { ...rows, before, limit: ROWS_IN_ONE_TRANSACTION });
      if (count > 0) this.removed.inc({ table: entityTable(rows.entity).name }, count);
      await this.timers.sleep(PAUSE_MILLISECONDS);
    }
  }
}
