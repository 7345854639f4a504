export { auth } from './auth/index.js';
export { eventLog } from './event-log/index.js';
export { graphql } from './graphql/index.js';
export { operations } from './operations/index.js';
export { orders } from './orders/index.js';
export { pets } from './pets/index.js';
export { rateLimiting } from './rate-limiting/index.js';
