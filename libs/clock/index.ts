export { Clock, SystemClock, TOLERATED_SKEW_MILLISECONDS } from './clock.js';
export { ClockModule } from './clock.module.js';
export { fulfilledWithin, settledWithin } from './settled-within.js';
