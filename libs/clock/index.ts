export { Clock, SystemClock, TOLERATED_SKEW_MILLISECONDS } from './clock.js';
export { fulfilledWithin, settledWithin } from './settled-within.js';
