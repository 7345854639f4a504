import { UnjudgedError } from '#libs/testing';
import { startOwnPostgres } from '../../databases/own-postgres.fixture.js';
import { createRedisServer } from '../../databases/redis-server.fixture.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import type { BuiltService } from '../../e2e/built-service.fixture.js';
import { createSystem, type SystemUnderTest } from '../system/system-under-test.fixture.js';
import { createHostNetwork, type InstanceHost } from './host-network.fixture.js';

/** An instance on a host of its own. */
export interface HostedInstance extends InstanceHost, BuiltService {
  /** With a key of all scopes that is never refused. */
  readonly client: ApiClient;
}

/** Two instances whose ways to PostgreSQL and to Redis are bad, and can be cut. */
export interface TwoInstances {
  /** As it is seen past the bad ways, and through the first instance. */
  readonly system: SystemUnderTest;
  readonly instances: readonly [HostedInstance, HostedInstance];
}

/** Starts them, on hosts of their own, with a PostgreSQL and a Redis on a third; all of it ends with the test. */
export async function startTwoInstances(environment: Readonly<Record<string, string>>): Promise<TwoInstances> {
  const { data, instances: hosts } = await createHostNetwork();
  const redis = await createRedisServer(data);
  await redis.start();
  const postgres = await startOwnPostgres({}, data);
  const system = await createSystem(async () => postgres, environment);
  const launch = async (host: InstanceHost): Promise<HostedInstance> => {
    const variables = {
      HOST: host.address,
      MANAGEMENT_HOST: host.address,
      DATABASE_URL: atAddress(postgres.url, host.toPostgres.address),
      REDIS_URL: atAddress(redis.url, host.toRedis.address),
    };
    const service = await system.launchBeside(variables, host.enter).listening.catch(withoutLostStarts);
    return { ...host, ...service, client: new ApiClient(service.origin, system.key) };
  };
  const instances = await Promise.all([launch(hosts[0]), launch(hosts[1])]);
  return { system: { ...system, origin: instances[0].origin }, instances };
}

/** A service whose first statement is lost for longer than it waits ends, to be started again, which says nothing about one that runs. */
function withoutLostStarts(error: Error): never {
  throw error.message.includes('PostgreSQL did not answer within') ? new UnjudgedError(error.message) : error;
}

function atAddress(url: string, address: string): string {
  const there = new URL(url);
  there.hostname = address;
  return there.href;
}
