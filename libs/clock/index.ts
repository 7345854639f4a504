export { Clock, SystemClock } from './clock.js';
export { fulfilledWithin, settledWithin } from './settled-within.js';
