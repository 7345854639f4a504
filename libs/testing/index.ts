export { given } from './decider-specification.js';
export { SettableClock } from './settable-clock.js';
