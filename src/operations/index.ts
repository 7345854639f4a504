import { domainModule, hours, setting } from '#libs/http';
import { idempotencyKeyRetention } from '#libs/event-sourcing';
import { dropUnversionedProjections } from './drop-unversioned-projections.migration.js';
import { OperationsModule } from './operations.module.js';

export { ServiceAccess, toErrorLine, type OperationsCliContext } from './command-line/service-access.js';
export { installHealth } from './operations.module.js';
export { RetentionSchedule } from './retention-schedule.js';

/** Readiness, metrics, retention and the commands of operators. */
export const operations = domainModule({
  name: 'operations',
  settings: {
    idempotencyRetention: setting('IDEMPOTENCY_RETENTION_HOURS', hours(24, 8_760), {
      default: '48',
      description: 'How long an `Idempotency-Key` is remembered; clients are promised 24 hours',
    }),
  },
  configuredModule: (context) => (context.purpose === 'service' ? OperationsModule.forRoot(context) : undefined),
  migrations: [dropUnversionedProjections],
  retention: ({ settings }) => [idempotencyKeyRetention(settings.idempotencyRetention)],
});
