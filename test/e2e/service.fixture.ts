import type { Server } from 'node:http';
import { CommandBus } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { migrateDatabase } from '#libs/database';
import { SettableClock } from '#libs/testing';
import { IssueApiKey, type Limits, type ApiKeyValues } from '../../src/auth/index.js';
import { composition, loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { createApp } from '../../src/bootstrap/create-app.js';
import { startedDatabase } from '../databases/started-database.fixture.js';
import { counters, createBackend, type TestBackend } from '../databases/test-backend.fixture.js';
import { ApiClient } from './api-client.fixture.js';

/** A key for a test; one with limits is on the plan enterprise. */
type TestKey = Partial<Omit<ApiKeyValues, 'limits'> & Limits>;

/** The whole service in this process, on a real port and a database of its own. */
export interface Service {
  readonly app: NestFastifyApplication;
  readonly origin: string;
  /** The variables that name its database and counters. */
  readonly backend: Readonly<Record<string, string>>;
  readonly clock: SettableClock;
  /** Sends requests with a key of scope `pets`. */
  readonly client: ApiClient;
  issueKey(input?: TestKey): Promise<{ readonly id: bigint; readonly token: string }>;
  close(): Promise<void>;
}

/** For keys with which a test sends many requests. */
export const UNLIMITED = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 } as const;

/** Tests send many requests from one address. */
const UNLIMITED_ADDRESSES = {
  ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
  ANONYMOUS_REQUESTS_PER_DAY: '1000000',
  PUBLIC_REQUESTS_PER_MINUTE: '1000000',
  PUBLIC_REQUESTS_PER_DAY: '1000000',
};

export interface ServiceOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: SettableClock;
  /** As in `CreateAppOptions`; nothing is logged when left out. */
  readonly logger?: Logger;
  /** As in `CreateAppOptions`, but no request is shed when left out. */
  readonly mostInProgress?: number;
  /** As in `CreateAppOptions`. */
  readonly polls?: boolean;
}

export async function startService({
  environment = {},
  clock = new SettableClock(new Date('2026-06-01T12:00:00.000Z')),
  mostInProgress = Infinity,
  polls = true,
  logger,
}: ServiceOptions = {}): Promise<Service> {
  const backend =
    environment['DATABASE_URL'] === undefined ? await createBackend(await startedDatabase(startAndStop)) : onDatabaseOfOthers();
  const configuration = loadServiceConfiguration({ ...backend.environment, LOG_LEVEL: 'silent', ...UNLIMITED_ADDRESSES, ...environment });
  // Only in development does a start make a database.
  if (configuration.deployment !== 'development') await migrateDatabase(configuration.database, composition().migrations);
  let running: NestFastifyApplication | undefined = await createApp(configuration, {
    clock,
    mostInProgress,
    polls,
    ...(logger && { logger }),
  });
  await running.listen(0, '127.0.0.1');
  const origin = await running.getUrl();
  // A test's variables outlive the service, which is large: nothing of it is reached through them after its end.
  const app = () => {
    if (!running) throw new Error('This service has been closed.');
    return running;
  };
  const issueKey = async ({ perMinute, perDay, ...values }: TestKey = {}) => {
    const limits = perMinute === undefined && perDay === undefined ? undefined : { perMinute, perDay };
    const command = new IssueApiKey({ name: 'test', limits, ...values }, { metadata: { actor: 'system' } });
    const { id, key } = await app().get(CommandBus).execute(command);
    return { id, token: key ?? '' };
  };
  const client = new ApiClient(origin, (await issueKey(UNLIMITED)).token);
  return {
    get app() {
      return app();
    },
    origin,
    backend: backend.environment,
    clock,
    client,
    issueKey,
    async close() {
      client.close();
      // Some client keeps a connection that nobody else ends, a minute long.
      const cut = setTimeout(() => (running?.getHttpServer() as Server | undefined)?.closeAllConnections(), 1_000);
      await running?.close();
      clearTimeout(cut);
      running = undefined;
      await backend.remove();
    },
  };
}

/** Where the test names a database, which others may use too. */
function onDatabaseOfOthers(): TestBackend {
  return { environment: counters(), remove: () => Promise.resolve() };
}

async function startAndStop(url: string): Promise<void> {
  const app = await createApp(loadServiceConfiguration({ DATABASE_URL: url, LOG_LEVEL: 'silent' }), { polls: false });
  await app.listen(0, '127.0.0.1');
  await app.close();
}
