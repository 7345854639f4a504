import fc from 'fast-check';
import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { animalOf, bodyRequests } from './hostile-input/bodies.js';
import { conversationsOf, converseAll } from './hostile-input/conversation.js';
import { argumentNames, fieldRequests } from './hostile-input/described-fields.js';
import { parameterNames, routeRequests, type ApiDocument } from './hostile-input/described-routes.js';
import { documentRequests } from './hostile-input/documents.js';
import { framingRequests } from './hostile-input/framings.js';
import { headRequests } from './hostile-input/heads.js';
import { requestBytes, type AnimalValues, type HostileRequest, type RequestParts } from './hostile-input/hostile-request.js';
import { startProbedService, type ProbedService } from './hostile-input/probed-service.fixture.js';
import { readRequests } from './hostile-input/targets.js';
import { queryDatabase } from './history/final-state.fixture.js';
import { report } from './system/figures.js';
import { IS_LONG, randomBetween } from './system/run-form.js';
import { DATABASES } from './system/system-under-test.fixture.js';

const BATCH = 200;
const WARM_UP_BATCHES = 10;
// On each database, so that the short form sends 20,000 requests beside those that it warms up with.
const BATCHES = IS_LONG ? 750 : 50;
/** So many that a name which is still left cannot be drawn at all. */
const MOST_DRAWN_FOR_NAMES = 1_000_000;
const HEAP_GROWTH_BYTES = 16 << 20;
const RESIDENT_GROWTH_BYTES = 160 << 20;

const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u;

/** What the running service says that it takes. */
interface Described {
  readonly document: ApiDocument;
  readonly schema: GraphQLSchema;
  /** A key that requests may end. */
  readonly disposableKey: string;
}

function requests(key: string, { document, schema, disposableKey }: Described): fc.Arbitrary<HostileRequest> {
  const parts = fc.oneof(
    { weight: 6, arbitrary: bodyRequests(key) },
    { weight: 4, arbitrary: headRequests(key) },
    { weight: 4, arbitrary: readRequests(key) },
    { weight: 3, arbitrary: framingRequests(key) },
    { weight: 3, arbitrary: documentRequests(key, schema) },
    { weight: 5, arbitrary: fieldRequests(key, schema) },
    { weight: 9, arbitrary: routeRequests(key, document, disposableKey) },
  );
  const cuts = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }) },
  );
  return fc.tuple(parts, cuts, fc.boolean()).map(([given, places, joins]) => hostileRequest(given, places, joins));
}

function hostileRequest(parts: RequestParts, cuts: readonly number[], joins: boolean): HostileRequest {
  const { kind, method = 'GET', framing = 'whole', isProtected = true, body = '', judge = () => undefined, draws = [] } = parts;
  const bytes = method === '' && parts.target === undefined ? Buffer.from(body as Buffer) : requestBytes(parts);
  return { kind, method, bytes, framing, joins, cuts, isProtected, judge, draws };
}

describe.each(DATABASES)('hostile input to a service on %s', (name, createDatabase) => {
  let probed: ProbedService;
  let described: Described;
  const acknowledged = new Map<string, AnimalValues>();
  const drawnNames = new Set<string>();
  const figures = { requests: 0, unanswered: 0, statuses: new Map<number, number>(), kinds: new Map<string, number>() };

  beforeAll(async () => {
    probed = await startProbedService(createDatabase);
    described = await describedBy(probed);
    await addEndpoints(probed);
  });
  afterAll(() => probed.close());

  const send = async (drawn: readonly HostileRequest[]): Promise<void> => {
    const outcomes = await converseAll(probed.port, conversationsOf(drawn));
    figures.requests += drawn.length;
    for (const { kind, draws } of drawn) {
      count(figures.kinds, kind);
      for (const name of draws) drawnNames.add(name);
    }
    for (const { answers, unanswered } of outcomes) {
      figures.unanswered += unanswered;
      for (const { answer } of answers) {
        count(figures.statuses, answer.status);
        const id = /^\/v1\/pets\?ids=(\d+)$/.exec(answer.headers['location'] ?? '')?.[1];
        if (answer.status === 201 && id !== undefined) acknowledged.set(id, animalOf(answer));
      }
    }
  };
  const run = async (batches: number): Promise<void> => {
    const batch = fc.array(requests(probed.key, described), { minLength: BATCH, maxLength: BATCH });
    const property = fc.asyncProperty(batch, send);
    await fc.assert(property, { numRuns: batches, seed: randomBetween(1, 2 ** 31 - 1), endOnFailure: true, reporter });
  };
  const namesLeft = (): string[] =>
    [...argumentNames(described.schema), ...parameterNames(described.document)].filter((name) => !drawnNames.has(name));
  /** Sends what has a name that no request has had so far: by chance a short run leaves out a few of hundreds. */
  const runNamesLeft = async (): Promise<void> => {
    for (let drawn = 0; drawn < MOST_DRAWN_FOR_NAMES && namesLeft().length > 0; drawn += BATCH) {
      const left = new Set(namesLeft());
      await send(fc.sample(requests(probed.key, described), BATCH).filter(({ draws }) => draws.some((name) => left.has(name))));
    }
  };

  it('is answered as promised, each time, and leaves nothing behind but what was acknowledged', async () => {
    const logStart = probed.service.output().split('\n').length;
    await run(WARM_UP_BATCHES);
    const before = await whenSettled(probed);
    const startedAt = performance.now();
    await run(BATCHES);
    await runNamesLeft();
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await whenSettled(probed);

    report(`hostile input on ${name}`, {
      requests: figures.requests,
      seconds: Math.round(seconds),
      'unanswered after the connection was closed': figures.unanswered,
      'heap MB before and after': `${megabytes(before.heapUsed)} ${megabytes(after.heapUsed)}`,
      'resident MB before and after': `${megabytes(before.rss)} ${megabytes(after.rss)}`,
      'answers by status': sorted(figures.statuses),
      'requests by kind': sorted(figures.kinds),
    });
    expect(namesLeft()).toEqual([]);
    expect(figures.statuses.get(503) ?? 0).toBeLessThan(figures.requests / 10);
    expect(after.heapUsed - before.heapUsed).toBeLessThan(HEAP_GROWTH_BYTES);
    expect(after.rss - before.rss).toBeLessThan(RESIDENT_GROWTH_BYTES);
    await expectPets(probed, acknowledged, figures.unanswered);
    expectLog(
      probed.service
        .output()
        .split('\n')
        .slice(logStart - 1),
    );
  }, 3_600_000);
});

async function describedBy({ service, key }: ProbedService): Promise<Described> {
  const client = new ApiClient(service.origin, key);
  const document = (await client.get('/openapi.json')).json<ApiDocument>();
  const { data } = (await client.post('/graphql', { query: getIntrospectionQuery() })).json<{ data: IntrospectionQuery }>();
  const limits = { perMinute: 100_000_000, perDay: 100_000_000 };
  const { secret } = (await client.post('/v1/keys', { name: 'disposable', plan: 'enterprise', limits })).json<{ secret: string }>();
  client.close();
  return { document, schema: buildClientSchema(data), disposableKey: secret };
}

/** Webhook endpoints to be reached: what is drawn hardly ever is an address that one may have. */
async function addEndpoints({ service, key }: ProbedService): Promise<void> {
  const client = new ApiClient(service.origin, key);
  for (let count = 0; count < 50; count += 1) {
    expect((await client.post('/v1/webhooks', { url: 'http://127.0.0.1:9/events', enabled: false })).status).toBe(201);
  }
  client.close();
}

/** The service again as it is at rest: every connection closed. */
async function whenSettled(probed: ProbedService) {
  for (;;) {
    const probe = await probed.probe();
    if (probe.sockets === 0) return probe;
  }
}

/**
 * The list holds every acknowledged animal with the values it was given, but for those that were changed since, and nothing else but
 * additions whose answer was not read.
 */
async function expectPets(
  { service, key, databaseUrl }: ProbedService,
  acknowledged: ReadonlyMap<string, AnimalValues>,
  unanswered: number,
): Promise<void> {
  const client = new ApiClient(service.origin, key);
  const found = new Map<string, AnimalValues>();
  for (let target: string | undefined = '/v1/pets?limit=100'; target !== undefined;) {
    const { text, headers } = await client.get(target);
    for (const [one, id] of text.matchAll(/\{"id":(\d+),"name":"(?:[^"\\]|\\.)*","categoryId":-?\d+(?:,"status":"\w+")?\}/g)) {
      found.set(id ?? '', animalOf({ status: 200, headers: {}, body: Buffer.from(one).toString('latin1') }));
    }
    target = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
  }
  const { status } = await client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
  client.close();
  expect(status).toBe(201);
  const changed = await changedPets(databaseUrl);
  const unchanged = new Map([...acknowledged].filter(([id]) => !changed.has(id)));
  expect(unchanged.size).toBeGreaterThan(acknowledged.size / 2);
  expect(new Map([...found].filter(([id]) => unchanged.has(id)))).toEqual(unchanged);
  expect([...found].filter(([id]) => !acknowledged.has(id)).length).toBeLessThanOrEqual(unanswered);
}

/** The ids of the animals of which the log tells more than that they were added. */
async function changedPets(databaseUrl: string): Promise<ReadonlySet<string>> {
  const statement = `SELECT "stream_id" FROM "events" WHERE "stream_id" LIKE 'pet-%' AND "stream_version" > 1`;
  const changes = await queryDatabase<{ stream_id: string }>(databaseUrl, statement);
  return new Set(changes.map(({ stream_id: stream }) => stream.slice('pet-'.length)));
}

/** Every line is one JSON object that a terminal shows as it is; none tells of a failure. */
function expectLog(lines: readonly string[]): void {
  const entries = lines.filter((line) => line !== '' && !line.startsWith('probe '));
  expect(entries.length).toBeGreaterThan(0);
  for (const line of entries) {
    if (CONTROL_CHARACTERS.test(line) || levelOf(line) >= 50) throw new Error(`An odd line in the log: ${JSON.stringify(line)}`);
  }
}

/** Infinite where the line is no JSON. */
function levelOf(line: string): number {
  try {
    return (JSON.parse(line) as { level: number }).level;
  } catch {
    return Infinity;
  }
}

/** The error alone, and the seed that draws it again: a whole batch would fill pages. */
function reporter<Drawn>({ failed, seed, counterexamplePath, errorInstance }: fc.RunDetails<Drawn>): void {
  if (failed) throw new Error(`seed ${seed}, path ${JSON.stringify(counterexamplePath)}`, { cause: errorInstance });
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

function sorted(counts: ReadonlyMap<unknown, number>): string {
  return JSON.stringify(Object.fromEntries([...counts].sort(([a], [b]) => String(a).localeCompare(String(b)))));
}
