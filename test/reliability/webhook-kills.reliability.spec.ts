import { IS_LONG } from './system/run-form.js';
import { createSystem, DATABASES, expectNoViolations } from './system/system-under-test.fixture.js';
import { killInstances, missing, VARIABLES } from './system/webhook-kills.fixture.js';

const KILLS = IS_LONG ? 30 : 2;

describe.each(DATABASES)('webhooks on %s while instances are killed', (name, createDatabase) => {
  it('bring every event that is meant at least once, each under one id, in the order in which they happened', async () => {
    const system = await createSystem(createDatabase, VARIABLES);
    // A file belongs to one instance.
    const killed = await killInstances(system, KILLS, name === 'PostgreSQL');
    const { expected, seen } = killed;
    const lost = missing(killed).map((id) => `event ${id} was not accepted`);
    expectNoViolations(`webhook-kills on ${name}`, lost, system, killed);
    expect([...new Set(seen.map(({ id }) => id))]).toEqual(expected);
    const ids = new Map<string, Set<string>>();
    for (const { id, webhookId } of seen) ids.set(id, (ids.get(id) ?? new Set()).add(webhookId));
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);
    expect(new Set(seen.map(({ webhookId }) => webhookId)).size).toBe(ids.size);
  });
});
