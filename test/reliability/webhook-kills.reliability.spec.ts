import { setTimeout as delay } from 'node:timers/promises';
import { composition } from '../../src/bootstrap/composition.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { launchBuiltService, type LaunchedService } from '../e2e/built-service.fixture.js';
import { startReceiver, type WebhookReceiver } from '../e2e/webhook-receiver.fixture.js';
import { queryDatabase } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { report } from './system/figures.js';
import { plantedBug } from './system/planted-bug.fixture.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';
import { createSystem, DATABASES, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';

const KILLS = IS_LONG ? 30 : 3;
const WRITERS = 1;
// Longer than it takes until another instance has the endpoint, and than any wait for another attempt.
const QUIET_MILLISECONDS = 20_000;
const FAILURES = 0.1;
const VARIABLES = { ...PATIENT, WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1' };

type Variables = Readonly<Record<string, string>>;

interface Seen {
  readonly id: string;
  readonly webhookId: string;
  readonly isAccepted: boolean;
}

interface Killed {
  /** What the endpoint had to get, in order. */
  readonly expected: readonly string[];
  readonly seen: readonly Seen[];
}

/** Kills one of the instances again and again while others write, and lets what is left come. */
async function kill(system: SystemUnderTest, kills: number, second: boolean, bug: Variables = {}): Promise<Killed> {
  const seen: Seen[] = [];
  const receiver: WebhookReceiver = await startReceiver((response, { headers, body }) => {
    const isAccepted = random() >= FAILURES;
    seen.push({ id: (JSON.parse(body) as { id: string }).id, webhookId: String(headers['webhook-id']), isAccepted });
    response.writeHead(isAccepted ? 204 : 500).end();
  });
  const launchers = [() => system.launch(bug), ...(second ? [() => launchSecond(system)] : [])];
  const instances: LaunchedService[] = [];
  for (const launch of launchers) instances.push(await started(launch()));
  const client = new ApiClient(system.origin, system.key);
  const added = await client.post('/v1/webhooks', { url: receiver.url });
  expect(added.status).toBe(201);
  const writers = new RecordingClients(WRITERS, { origin: system.origin, key: system.key, random });
  for (let index = 0; index < kills; index += 1) {
    const enough = seen.length + randomBetween(1, 300);
    while (seen.length < enough) await delay(2);
    await delay(randomBetween(0, 300));
    const victim = randomBetween(0, instances.length - 1);
    await instances[victim]?.stop('SIGKILL');
    const launch = launchers[victim];
    if (launch) instances[victim] = await started(launch());
  }
  await writers.stop();
  const expected = await publishedPositions(system);
  // For as long as messages come: how many there are depends on how fast the machine writes.
  const isQuiet = () => performance.now() - (receiver.messages.at(-1)?.at ?? 0) > QUIET_MILLISECONDS;
  while (missing({ expected, seen }).length > 0 && !isQuiet()) await delay(100);
  for (const instance of instances) await instance.stop('SIGKILL');
  await receiver.close();
  return { expected, seen };
}

/** What the endpoint has not accepted. */
function missing({ expected, seen }: Killed): string[] {
  const accepted = new Set(seen.filter(({ isAccepted }) => isAccepted).map(({ id }) => id));
  return expected.filter((id) => !accepted.has(id));
}

async function started(launched: LaunchedService): Promise<LaunchedService> {
  await launched.listening;
  return launched;
}

function launchSecond({ folder, databaseUrl }: SystemUnderTest): LaunchedService {
  return launchBuiltService(folder, { LOG_LEVEL: 'warn', ...VARIABLES, DATABASE_URL: databaseUrl });
}

/** Those that happened after the endpoint was registered. */
async function publishedPositions({ databaseUrl }: SystemUnderTest): Promise<string[]> {
  const types = [...composition().publishedForms.keys()].map((type) => `'${type}'`).join(', ');
  const rows = await queryDatabase<{ position: bigint | string }>(
    databaseUrl,
    `SELECT "position" FROM "events" WHERE "type" IN (${types})
       AND "position" > (SELECT max("position") FROM "events" WHERE "type" = 'webhook-registered') ORDER BY "position"`,
  );
  return rows.map(({ position }) => position.toString());
}

describe.each(DATABASES)('webhooks on %s while instances are killed', (name, createDatabase) => {
  let system: SystemUnderTest;
  // A file belongs to one instance.
  const second = name === 'PostgreSQL';
  beforeEach(async () => (system = await createSystem(createDatabase, VARIABLES)));

  it('bring every event that is meant at least once, each under one id, in the order in which they happened', async () => {
    const killed = await kill(system, KILLS, second);
    const { expected, seen } = killed;
    report(`webhooks on ${name}`, { kills: KILLS, events: expected.length, messages: seen.length });
    expect(missing(killed)).toEqual([]);
    expect([...new Set(seen.map(({ id }) => id))]).toEqual(expected);
    const ids = new Map<string, Set<string>>();
    for (const { id, webhookId } of seen) ids.set(id, (ids.get(id) ?? new Set()).add(webhookId));
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    expect(new Set(seen.map(({ webhookId }) => webhookId)).size).toBe(ids.size);
  });

  if (second) return;

  it('are seen to lose events if what failed is not written with how far the endpoint has come', async () => {
    expect(missing(await kill(system, 1, second, plantedBug('loses-retries')))).not.toEqual([]);
  });
});
