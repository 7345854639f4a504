export { LEASES_TABLE, processMigrations } from './create-process-leases.migration.js';
export { Leases, type LeasedTable } from './leases.js';
export { ProcessesModule } from './processes.module.js';
export { TimeoutSchedule } from './timeout-schedule.js';
export { TimeoutCatalog, type TimeoutSource } from './timeouts.js';
