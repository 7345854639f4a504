import { linesOf } from '../e2e/command-line.fixture.js';
import { Load } from './load.fixture.js';
import { NEXT_MIGRATION, SHELTER_BEFORE } from './next-version.fixture.js';
import { listAll, openTwoBuilds, type Instance, type TwoBuilds } from './two-builds.fixture.js';

// More than one transaction of a build of the projection takes.
const ANIMALS_BEFORE = 1_200;
const REFUSAL = new RegExp(`was migrated by a newer build: this one does not know ${NEXT_MIGRATION}\\. Run the newer build\\.\n$`);

describe('an upgrade from this build to the next one', () => {
  it('fails no request and shows every acknowledged write at once at either instance', async () => {
    const builds = await openTwoBuilds();
    try {
      const today = await builds.today.start();
      await builds.addAnimals(ANIMALS_BEFORE);
      const load = new Load([today], ANIMALS_BEFORE);
      await load.exchange(20);
      const next = await builds.next.start();
      await load.sendTo(today, next);
      await load.exchange(25);
      await load.sendTo(next);
      expect(await today.stop()).toBe(0);
      await load.exchange(20);
      await load.end();
      expect(load.problems).toEqual([]);

      expect(await listAll(next)).toHaveLength(load.animals);
      const { code, stdout } = await builds.next.run('cli', 'events', 'verify');
      expect({ code, report: JSON.parse(stdout) as object }).toMatchObject({ code: 0, report: { problems: [] } });
    } finally {
      await builds.remove();
    }
  });
});

describe('an instance of this build and one of the next beside each other', () => {
  let builds: TwoBuilds;
  let today: Instance;
  let next: Instance;
  beforeAll(async () => {
    builds = await openTwoBuilds();
    today = await builds.today.start();
    await builds.addAnimals(120);
    next = await builds.next.start();
    await Promise.all([today, next, today, next].map(({ client }) => client.post('/v1/pets', { name: 'Rex', categoryId: 7 })));
  });
  afterAll(() => builds.remove());

  it('give the same list, also page by page in turn', async () => {
    const list = await listAll(today);
    expect(list.length).toBeGreaterThanOrEqual(124);
    expect(await listAll(next)).toEqual(list);
    expect(await listAll(next, today)).toEqual(list);
  });

  it("answer the repetition of each other's requests", async () => {
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

  it('both show a change that a command of the next build makes', async () => {
    const added = await today.client.post('/v1/pets', { name: 'Max', categoryId: 1 });
    const { id } = added.json<{ id: number }>();
    await builds.next.run('cli', 'pets', 'set-status', String(id), 'sold');
    for (const { client } of [today, next]) {
      expect((await client.get(`/v1/pets/${id}`)).json()).toEqual({ id, name: 'Max', categoryId: 1, status: 'sold' });
    }
  });

  it('both list the log; what this build does not know without data', async () => {
    const { id } = (await next.client.post('/v1/pets', { name: 'Zoe', categoryId: 1 })).json<{ id: number }>();
    const query = `{ pet(id: ${id}) { name history { type schemaVersion data } } }`;
    const history = async ({ client }: Instance) => (await client.post('/graphql', { query })).json<{ data: { pet: object } }>().data.pet;
    const added = { type: 'pet-added', schemaVersion: 2, data: { name: 'Zoe', categoryId: '1', shelter: 'the new one' } };
    const registered = { type: 'pet-registered', schemaVersion: 1, data: { by: 'the next version' } };
    expect(await history(next)).toEqual({ name: 'Zoe', history: [registered, added] });
    expect(await history(today)).toEqual({ name: 'Zoe', history: [{ ...registered, data: {} }, added] });
  });

  it('leave the events of before as they are, which the next build reads in its own form, and keep their own version of a projection', async () => {
    const { stdout } = await builds.next.run('cli', 'events', 'list', '--type', 'pet-added', '--limit', '1');
    expect(JSON.parse(linesOf(stdout)[0] ?? '')).toMatchObject({ schemaVersion: 2, data: { name: 'animal 1', shelter: SHELTER_BEFORE } });
    const statuses = JSON.parse((await builds.next.run('cli', 'projections', 'status')).stdout) as { name: string; used: boolean }[];
    expect(statuses.filter(({ name }) => name === 'pets').map(({ used }) => used)).toEqual([true, false]);
  });

  it.each([
    ['another instance', 'main', []],
    ['a command', 'cli', ['pets', 'export']],
  ] as const)('refuse %s of this build that is started now', async (_, program, words) => {
    const { code, stdout, stderr } = await builds.today.run(program, ...words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(REFUSAL);
    expect((await today.client.get('/v1/pets')).status).toBe(200);
  });
});
