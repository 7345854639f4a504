export { processMigrations } from './migrations/index.js';
export { isLeaseFree, LEASES_TABLE } from './process-leases.js';
export { ProcessesModule, type ProcessesModuleOptions } from './processes.module.js';
export { TimeoutCatalog } from './timeout-catalog.js';
export { TimeoutSchedule } from './timeout-schedule.js';
export type { TimeoutSource } from './timeout-source.js';
