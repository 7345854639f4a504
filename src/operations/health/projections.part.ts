import type { HealthPart } from '#libs/health';
import type { ProjectionStatuses } from '#libs/projections';

/** Whether the tables that answer reads are there. What they lack, after an append of another build, a read has them catch up with. */
export function projectionsPart(projections: ProjectionStatuses): HealthPart {
  return {
    name: 'projections',
    async check() {
      const missing = (await projections.all()).filter(({ used, generation }) => used && generation === 0).map(({ name }) => name);
      return missing.length === 0 ? { state: 'ready' } : { state: 'unavailable', detail: `not built yet: ${missing.join(', ')}` };
    },
  };
}
