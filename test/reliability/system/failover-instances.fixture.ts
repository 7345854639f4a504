import { ApiClient, type Answer } from '../../e2e/api-client.fixture.js';
import type { BuiltService } from '../../e2e/built-service.fixture.js';
import { managementAt } from '../../e2e/management.fixture.js';
import { createSystem, PATIENT, type SystemUnderTest } from './system-under-test.fixture.js';

/** How many animals are added at a time. */
export const MANY = 5;

interface Verified {
  readonly problems: readonly string[];
  readonly histories: readonly { readonly from: number; readonly agreesUpTo: number }[];
}

/** Two instances, of which the second one is only read. */
export interface Instances {
  readonly system: SystemUnderTest;
  readonly services: readonly [BuiltService, BuiltService];
  readonly clients: readonly [ApiClient, ApiClient];
}

export async function startInstances(url: string): Promise<Instances> {
  const system = await createSystem(async () => ({ url }), { ...PATIENT, WEBHOOK_ALLOW_LOOPBACK: 'true' });
  const first = await system.launch().listening;
  const second = await system.launchBeside().listening;
  return {
    system,
    services: [first, second],
    clients: [new ApiClient(first.origin, system.key), new ApiClient(second.origin, system.key)],
  };
}

const add = (client: ApiClient, name: string) => client.post('/v1/pets', { name, categoryId: 1, status: 'available' });

/** Ids of added animals; each is tried until the database is there. */
export async function addMany(client: ApiClient, name: string, count = MANY): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) {
    const added = await add(client, name);
    if (added.status === 201) ids.push(added.json<{ id: number }>().id);
  }
  return ids;
}

export async function verified(system: SystemUnderTest): Promise<Verified> {
  return JSON.parse((await system.command('events', 'verify')).stdout) as Verified;
}

export const namesOf = (answer: Answer) => answer.json<{ name: string }[]>().map(({ name }) => name);
export const rewinds = ({ management }: BuiltService) => managementAt(management).sample('adoption_log_rewinds_total');
