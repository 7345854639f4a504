import { Gauge } from 'prom-client';
import type { EventStore } from '#libs/event-store';
import { CachedReading, type MetricsRegistry } from '#libs/operations';
import type { ProjectionStatuses } from '#libs/projections';

const SAMPLE = { freshFor: 1_000, patience: 1_000 };

/** How far the log and the projections are: read at most once a second, and absent while they cannot be read. */
export function registerProjectionMetrics(
  registry: MetricsRegistry,
  { eventStore, projections }: { readonly eventStore: EventStore; readonly projections: ProjectionStatuses },
): void {
  const registers = [registry];
  const log = new CachedReading(() => eventStore.lastPosition(), SAMPLE);
  const statuses = new CachedReading(() => projections.all(), SAMPLE);
  const logPosition = new Gauge({
    name: 'adoption_log_position',
    help: 'Position of the newest event in the log',
    registers,
    async collect() {
      logPosition.remove();
      const position = await log.get();
      if (position !== undefined) logPosition.set(Number(position));
    },
  });
  const position = new Gauge({
    name: 'adoption_projection_position',
    help: 'Position of the newest event that a projection has applied; it stands still while events come that it does not handle',
    labelNames: ['projection', 'version'],
    registers,
    async collect() {
      position.reset();
      for (const { name, version, position: reached } of (await statuses.get()) ?? []) {
        position.set({ projection: name, version }, Number(reached));
      }
    },
  });
  const upToDate = new Gauge({
    name: 'adoption_projection_up_to_date',
    help: '1 where a projection of this build has applied every event that it handles, else 0',
    labelNames: ['projection', 'version'],
    registers,
    async collect() {
      upToDate.reset();
      for (const { name, version, upToDate: isUpToDate } of (await statuses.get()) ?? []) {
        if (isUpToDate !== null) upToDate.set({ projection: name, version }, isUpToDate ? 1 : 0);
      }
    },
  });
}
