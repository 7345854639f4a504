import { InProcessLimiterStore } from '../../src/rate-limiting/store/in-process-limiter.store.js';
import { CONTRACT_BANS, describeLimiterStoreContract } from './limiter-store.contract.js';

describeLimiterStoreContract('in this process', () =>
  Promise.resolve({ store: new InProcessLimiterStore(CONTRACT_BANS), close: () => Promise.resolve() }),
);
