export { Clock, SystemClock } from './clock.js';
export { settledWithin } from './settled-within.js';
