export { given } from './decider-specification.js';
export { SettableClock } from './settable-clock.js';
export { withinOneSecond } from './within-one-second.js';
