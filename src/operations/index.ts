export { installHealth } from './health/install-health.js';
export { startManagement } from './management/start-management.js';
export { RetentionSchedule } from './retention/retention-schedule.js';
export { OperationsModule } from './operations.module.js';
