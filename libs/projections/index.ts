export { toPage, type Page, type PageRange } from './page.js';
export { ProjectionPruning, type PrunedProjection } from './projection-pruning.js';
export { ProjectionRebuilder, type ReplayProgress } from './projection-rebuilder.js';
export { ProjectionStatuses, type ProjectionStatus } from './projection-statuses.js';
export { findDerivedTables, projectionTableName } from './projection-tables.js';
export { ProjectionVerification } from './projection-verification.js';
export {
  ProjectionCatalog,
  type Projection,
  type ProjectionColumn,
  type ProjectionColumnType,
  type ProjectionTable,
  type ProjectionTarget,
} from './projection.js';
export { projectionMigrations } from './projection-migrations.js';
export { ProjectionsModule } from './projections.module.js';
export { ReadModels } from './read-models.js';
