export { buildingBlocks, libraryMigrations } from './building-blocks.js';
export { given } from './decider-specification.js';
export { printedBy } from './printed-by.js';
export { SettableClock } from './settable-clock.js';
export { withinOneSecond } from './within-one-second.js';
export { withNewerEvents } from './with-newer-events.js';
