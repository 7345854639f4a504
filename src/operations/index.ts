import { domainModule } from '#libs/domain-modules';
import { idempotencyKeyRetention } from '#libs/event-store';
import { registerDatabaseCommands } from './command-line/database.cli.js';
import { registerDoctor } from './command-line/doctor.cli.js';
import { registerEventsCommands } from './command-line/events.cli.js';
import type { OperationsCliContext } from './command-line/operations-cli-context.js';
import { registerProjectionsCommands } from './command-line/projections.cli.js';
import { DropUnversionedProjections1767226400002 } from './drop-unversioned-projections.migration.js';
import { OperationsModule, type OperationsModuleOptions } from './operations.module.js';

export { failureLine, openingFailure } from './command-line/failure-line.js';
export type { OperationsCliContext } from './command-line/operations-cli-context.js';
export { installHealth } from './install-health.js';
export { startManagement } from './management.js';
export { RetentionSchedule } from './retention-schedule.js';

type OperationsSettings = OperationsModuleOptions & { readonly purpose: 'service' | 'cli'; readonly idempotencyRetention: number };

/** What it takes to run the service. */
export const operations = domainModule<OperationsSettings, OperationsCliContext>({
  name: 'operations',
  configuredModule: ({ purpose, ...options }) => (purpose === 'service' ? OperationsModule.forRoot(options) : undefined),
  migrations: [DropUnversionedProjections1767226400002],
  retention: ({ idempotencyRetention }) => [idempotencyKeyRetention(idempotencyRetention)],
  commandLine: [registerEventsCommands, registerProjectionsCommands, registerDatabaseCommands, registerDoctor],
});
