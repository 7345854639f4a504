import { linesOf } from '../e2e/command-line.fixture.js';
import { stopAll } from '../reliability/history/clients.fixture.js';
import { RecordingClients } from '../reliability/history/recording-clients.fixture.js';
import { SHELTER_BEFORE } from './next-version.fixture.js';
import { listAll, openTwoBuilds, type Instance, type TwoBuilds } from './two-builds.fixture.js';

// More than one transaction of a build of the projection takes.
const ANIMALS_BEFORE = 1_200;
const CLIENTS = 2;

/** Clients that add animals at each instance and read them at each. */
const use = (...instances: readonly Instance[]) =>
  instances.flatMap(({ origin, key, name }) =>
    instances.map(
      (reader) =>
        new RecordingClients(CLIENTS, { origin, readOrigin: reader.origin, key, prefix: `${name} ${reader.name} ${instances.length} ` }),
    ),
  );
const acknowledgeMore = (load: readonly RecordingClients[], count: number) =>
  Promise.all(load.map((clients) => clients.acknowledgeMore(count)));

describe('an upgrade from this build to the next one', () => {
  let builds: TwoBuilds;
  let today: Instance;
  let next: Instance;
  let before: RecordingClients[];
  beforeAll(async () => {
    builds = await openTwoBuilds();
    today = await builds.today.start();
    await builds.addAnimals(ANIMALS_BEFORE);
    before = use(today);
    await acknowledgeMore(before, 20);
    // Not in a test, with which it would be closed.
    next = await builds.next.start();
  });

  it('fails no request and shows every acknowledged write at once at either instance', async () => {
    const beside = use(today, next);
    await acknowledgeMore(beside, 25);
    const { adds, reads } = await stopAll([...before, ...beside]);
    const outcomes = [...adds, ...reads].map(({ outcome }) => outcome);
    expect(outcomes.filter(({ kind }) => kind === 'unknown')).toEqual([]);
    expect(reads.filter(({ outcome, expected }) => outcome.kind === 'answered' && outcome.text !== expected)).toEqual([]);
    const acknowledged = [...before, ...beside].reduce((sum, clients) => sum + clients.acknowledged, ANIMALS_BEFORE);
    const list = await listAll(today);
    expect(list).toHaveLength(acknowledged);
    expect(await listAll(next)).toEqual(list);
    expect(await listAll(next, today)).toEqual(list);
  });

  it("has both answer the repetition of each other's requests", async () => {
    for (const [first, second] of [
      [today, next],
      [next, today],
    ] as const) {
      const options = { headers: { 'idempotency-key': `first to ${first.name}` } };
      const added = await first.client.post('/v1/pets', { name: 'Ana', categoryId: 1 }, options);
      const repeated = await second.client.post('/v1/pets', { name: 'Ana', categoryId: 1 }, options);
      expect(repeated).toMatchObject({ status: 201, text: added.text, headers: { 'idempotency-replayed': 'true' } });
    }
  });

  it('has both show a change that a command of the next build makes', async () => {
    const added = await today.client.post('/v1/pets', { name: 'Max', categoryId: 1 });
    const { id } = added.json<{ id: number }>();
    await builds.next.run('cli', 'pets', 'set-status', String(id), 'sold');
    for (const { client } of [today, next]) {
      expect((await client.get(`/v1/pets/${id}`)).json()).toEqual({ id, name: 'Max', categoryId: 1, status: 'sold' });
    }
  });

  it('leaves the events of before as they are, which the next build reads in its own form, and each its version of a projection', async () => {
    const { stdout } = await builds.next.run('cli', 'events', 'list', '--type', 'pet-added', '--limit', '1');
    expect(JSON.parse(linesOf(stdout)[0] ?? '')).toMatchObject({ schemaVersion: 2, data: { name: 'animal 1', shelter: SHELTER_BEFORE } });
    const statuses = JSON.parse((await builds.next.run('cli', 'projections', 'status')).stdout) as { name: string; used: boolean }[];
    expect(statuses.filter(({ name }) => name === 'pets').map(({ used }) => used)).toEqual([true, false]);
  });

  it('fails no request at the next one either while the instance of this build ends', async () => {
    const load = use(next);
    await acknowledgeMore(load, 10);
    expect(await today.stop()).toBe(0);
    await acknowledgeMore(load, 20);
    const { adds } = await stopAll(load);
    expect(adds.filter(({ outcome }) => outcome.kind === 'unknown')).toEqual([]);
    const { code, stdout } = await builds.next.run('cli', 'events', 'verify');
    expect({ code, report: JSON.parse(stdout) as object }).toMatchObject({ code: 0, report: { problems: [] } });
  });
});
