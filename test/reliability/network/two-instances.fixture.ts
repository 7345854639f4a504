import { startOwnPostgres } from '../../databases/own-postgres.fixture.js';
import { createRedisServer } from '../../databases/redis-server.fixture.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import { launchBuiltService, type BuiltService } from '../../e2e/built-service.fixture.js';
import { createSystem, type SystemUnderTest } from '../system/system-under-test.fixture.js';
import { createHostNetwork, type InstanceHost } from './host-network.fixture.js';

/** An instance on a host of its own. */
export interface HostedInstance extends InstanceHost, BuiltService {
  /** With a key of all scopes that is never refused. */
  readonly client: ApiClient;
  /** Whether it says that it is ready, and what it says of its parts. */
  readiness(): Promise<Readiness>;
}

export interface Readiness {
  readonly isReady: boolean;
  /** Whether no part of it is worse off than it could be. */
  readonly isWhole: boolean;
  readonly parts: Readonly<Record<string, { readonly state: string }>>;
}

/** Two instances whose ways to PostgreSQL and to Redis are bad, and can be cut. */
export interface TwoInstances {
  /** As it is seen past the bad ways, and through the first instance. */
  readonly system: Pick<SystemUnderTest, 'databaseUrl' | 'origin' | 'key' | 'folder' | 'command'>;
  readonly instances: readonly [HostedInstance, HostedInstance];
  /** Where the instances find what the tests listen at. */
  readonly testsAddress: string;
}

export interface TwoInstancesOptions {
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts them, on hosts of their own, with a PostgreSQL and a Redis on a third; all of it ends with the test. */
export async function startTwoInstances({ environment = {} }: TwoInstancesOptions = {}): Promise<TwoInstances> {
  const { data, instances: hosts, testsAddress } = await createHostNetwork();
  const redis = await createRedisServer(data);
  await redis.start();
  const postgres = await startOwnPostgres({}, data);
  const system = await createSystem(async () => postgres, environment);
  const launch = async (host: InstanceHost): Promise<HostedInstance> => {
    const variables = {
      LOG_LEVEL: 'warn',
      ...environment,
      HOST: host.address,
      MANAGEMENT_HOST: host.address,
      DATABASE_URL: atAddress(postgres.url, host.toPostgres.address),
      REDIS_URL: atAddress(redis.url, host.toRedis.address),
    };
    const service = await launchBuiltService(system.folder, variables, '.', host.enter).listening;
    return { ...host, ...service, client: new ApiClient(service.origin, system.key), readiness: () => readinessOf(service) };
  };
  const instances = await Promise.all([launch(hosts[0]), launch(hosts[1])]);
  return { system: { ...system, origin: instances[0].origin }, instances, testsAddress };
}

function atAddress(url: string, address: string): string {
  const there = new URL(url);
  there.hostname = address;
  return there.href;
}

async function readinessOf({ management }: BuiltService): Promise<Readiness> {
  const answer = await fetch(`${management}/health/ready`);
  const { parts } = (await answer.json()) as Pick<Readiness, 'parts'>;
  const isWhole = Object.values(parts).every(({ state }) => state === 'ready');
  return { isReady: answer.status === 200, isWhole, parts };
}
