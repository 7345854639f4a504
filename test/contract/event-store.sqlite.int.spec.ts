import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventStoreContract } from './event-store.contract.js';

describeEventStoreContract('SQLite', {
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'adoption-contract-'));
    return {
      location: { kind: 'sqlite', path: join(folder, 'adoption.sqlite') },
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
});
