export type { Projection, ProjectionColumn, ProjectionColumnType, ProjectionTable, ProjectionTarget } from './projection.js';
export { CreateProjectionCheckpoints1767225600001 } from './migrations/create-projection-checkpoints.migration.js';
export { ProjectionCatalog } from './projection-catalog.js';
export { ProjectionRebuilder, type ProjectionStatus } from './projection-rebuilder.js';
export { ProjectionVerification } from './projection-verification.js';
export { ProjectionsModule } from './projections.module.js';
export type { ReplayProgress } from './replay.js';
