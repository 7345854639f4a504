import { domainModule } from '#libs/http';
import { idempotencyKeyRetention } from '#libs/event-sourcing';
import { DropUnversionedProjections1767226400002 } from './drop-unversioned-projections.migration.js';
import { OperationsModule, type OperationsModuleOptions } from './operations.module.js';

export { toErrorLine, toOpeningError } from './command-line/failure-line.js';
export type { OperationsCliContext, ServiceAccess } from './command-line/operations-cli-context.js';
export { installHealth, startManagement } from './management.js';
export { RetentionSchedule } from './retention-schedule.js';

type OperationsSettings = OperationsModuleOptions & { readonly purpose: 'service' | 'cli'; readonly idempotencyRetention: number };

/** Readiness, metrics, retention and the commands of operators. */
export const operations = domainModule<OperationsSettings>({
  name: 'operations',
  configuredModule: ({ purpose, ...options }) => (purpose === 'service' ? OperationsModule.forRoot(options) : undefined),
  migrations: [DropUnversionedProjections1767226400002],
  retention: ({ idempotencyRetention }) => [idempotencyKeyRetention(idempotencyRetention)],
});
