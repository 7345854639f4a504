import { NEXT_MIGRATION } from './next-version.fixture.js';
import { listAll, openTwoBuilds } from './two-builds.fixture.js';

const REFUSAL = new RegExp(`was migrated by a newer build: this one does not know ${NEXT_MIGRATION}\\. Run the newer build\\.\n$`);
const ANIMALS_BEFORE = 150;

describe('an upgrade from this build to the next one, of a database in a file', () => {
  it('loses nothing, and takes no instance or command of this build any more', async () => {
    const builds = await openTwoBuilds();
    const today = await builds.today.start();
    await builds.addAnimals(ANIMALS_BEFORE);
    const repeatable = { headers: { 'idempotency-key': 'sent before the upgrade' } };
    const added = await today.client.post('/v1/pets', { name: 'Rex', categoryId: 7 }, repeatable);
    const list = await listAll(today);
    expect(list).toHaveLength(ANIMALS_BEFORE + 1);
    expect(await today.stop()).toBe(0);

    const next = await builds.next.start();
    expect(await listAll(next)).toEqual(list);
    expect((await next.client.post('/v1/pets', { name: 'Rex', categoryId: 7 }, repeatable)).text).toBe(added.text);
    expect((await next.client.post('/v1/pets', { name: 'Ana', categoryId: 1 })).status).toBe(201);

    const refusal = { code: 1, stdout: '', stderr: expect.stringMatching(REFUSAL) };
    expect(await builds.today.run('cli', 'pets', 'export')).toMatchObject(refusal);
    expect(await listAll(next)).toHaveLength(list.length + 1);
    // While the next build serves, the file is refused for that alone.
    expect(await next.stop()).toBe(0);
    expect(await builds.today.run('main')).toMatchObject(refusal);
    const { code, stdout } = await builds.next.run('cli', 'events', 'verify');
    expect({ code, report: JSON.parse(stdout) as object }).toMatchObject({ code: 0, report: { problems: [] } });
  }, 180_000);
});
