export { Health, type HealthReport } from './health.js';
export { HealthCatalog } from './health-catalog.js';
export { HealthModule } from './health.module.js';
export type { HealthPart, PartState } from './health-part.js';
