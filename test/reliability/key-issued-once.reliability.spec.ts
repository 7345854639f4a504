import { plantedBug } from './system/planted-bug.fixture.js';
import { createSystem, DATABASES } from './system/system-under-test.fixture.js';

const NEW = { name: 'Website', owner: 'Happy Paws', scopes: ['pets'] };

describe.each(DATABASES)('a service on %s that is killed between the event of a new key and its response', (_name, createDatabase) => {
  it('issues one key, and the repeated request says how to get a secret', async () => {
    const system = await createSystem(createDatabase);
    const send = (method: string, path: string, body?: object) =>
      fetch(`${system.origin}/v1/keys${path}`, {
        method,
        headers: { authorization: `Bearer ${system.key}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const dying = system.launch(plantedBug('dies-before-it-answers'));
    await dying.listening;
    await expect(send('POST', '', NEW)).rejects.toThrow();
    await dying.stop('SIGKILL');
    await system.launch().listening;
    const again = await send('POST', '', NEW);
    const { id, ...key } = (await again.json()) as Readonly<Record<string, unknown>>;
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    const note = `The secret was only in the first response. POST /v1/keys/${String(id)}/rotate gives the key a new one.`;
    expect(key).toMatchObject({ ...NEW, note });
    expect(key).not.toHaveProperty('secret');
    expect(await (await send('GET', '?owner=Happy%20Paws')).json()).toMatchObject([{ id }]);
    expect(await (await send('POST', `/${String(id)}/rotate`)).json()).toMatchObject({ id, secret: expect.stringMatching(/^adopt_/) });
  });
});
