export { given } from './decider-specification.js';
export { libraryMigrations, libraryModules, openTestedModule, PATIENT_MILLISECONDS, type TestedModule } from './library-modules.js';
export { SettableClock } from './settable-clock.js';
export { withNewerEvents } from './with-newer-events.js';
export { expectEventually } from './expect-eventually.js';
export { until } from './until.js';
export { GrantedLeases, remoteDatabase, type Network } from './remote-database.js';
export { simulate, VirtualTimers } from './virtual-timers.js';
export { LivenessError, UnjudgedError } from './verdicts.js';
