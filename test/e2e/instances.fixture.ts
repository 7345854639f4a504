import { SettableClock } from '#libs/testing';
import { createDatabase } from '../databases/test-backend.fixture.js';
import { startService, type Service } from './service.fixture.js';

/** Several instances of the service in this process, on one database and one clock, which count together in one Redis. */
export interface Instances {
  readonly all: readonly Service[];
  readonly clock: SettableClock;
  readonly databaseUrl: string;
  /** The instance whose turn it is. */
  next(): Service;
  add(): Promise<Service>;
  stop(): Promise<void>;
  /** Ends all that run and removes the database. */
  close(): Promise<void>;
}

export async function startInstances(
  count: number,
  { url, keyPrefix }: { readonly url: string; readonly keyPrefix: string },
  environment: Readonly<Record<string, string>> = {},
): Promise<Instances> {
  const database = await createDatabase();
  const clock = new SettableClock(new Date('2026-06-01T12:00:00.000Z'));
  const all: Service[] = [];
  let turn = 0;
  const instances: Instances = {
    all,
    clock,
    databaseUrl: database.url,
    next() {
      const service = all[(turn += 1) % all.length];
      if (!service) throw new Error('No instance runs.');
      return service;
    },
    async add() {
      const shared = { DATABASE_URL: database.url, REDIS_URL: url, REDIS_KEY_PREFIX: keyPrefix };
      const service = await startService({ clock, environment: { ...shared, ...environment } });
      all.push(service);
      return service;
    },
    async stop() {
      await Promise.all(all.splice(0).map((service) => service.close()));
    },
    async close() {
      await instances.stop();
      await database.remove();
    },
  };
  while (all.length < count) await instances.add();
  return instances;
}
