export { installHealth } from './install-health.js';
export { startManagement } from './management.js';
export { OperationsModule } from './operations.module.js';
export { RetentionSchedule } from './retention-schedule.js';
