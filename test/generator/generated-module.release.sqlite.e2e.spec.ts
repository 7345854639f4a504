import { ApiClient } from '../e2e/api-client.fixture.js';
import { createWorkingDirectory, runBuilt, startBuiltService, type WorkingDirectory } from '../e2e/built-service.fixture.js';
import { contractOf } from '../e2e/openapi-contract.fixture.js';
import { copyTree, type TreeCopy } from './tree-copy.fixture.js';

describe('a build with a generated module', () => {
  let tree: TreeCopy;
  let folder: WorkingDirectory;
  let key: string;

  const printed = async (root: string, ...words: string[]) => {
    const { code, stdout, stderr } = await runBuilt('cli', words, { cwd: folder.path, root });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout || 'null') as unknown;
  };
  const serve = async (root: string, use: (client: ApiClient) => Promise<void>) => {
    const service = await startBuiltService(folder.path, {}, root);
    const client = new ApiClient(service.origin, key, contractOf(root));
    await use(client);
    client.close();
    expect(await service.stop('SIGTERM')).toBe(0);
  };

  beforeAll(async () => {
    [tree, folder] = await Promise.all([copyTree(), createWorkingDirectory()]);
    expect(await tree.generate('module', 'shelters')).toMatchObject({ code: 0 });
    await tree.build();
    await printed(tree.root, 'db', 'migrate');
    expect(await printed(tree.root, 'shelters', 'add', '--name', 'First')).toEqual({ id: 1, name: 'First' });
    const issued = await printed(tree.root, 'keys', 'create', '--name', 'test', '--scopes', 'pets,shelters');
    key = (issued as { key: string }).key;
  });

  it('takes one idempotency key for each of two operations, and shares its database with a build without the module', async () => {
    await serve(tree.root, async (client) => {
      const headers = { 'idempotency-key': 'one text' };
      const send = async () => [
        await client.post('/v1/pets', { name: 'Rex', categoryId: 7 }, { headers }),
        await client.post('/v1/shelters', { name: 'Second' }, { headers }),
      ];
      const [first, again] = [await send(), await send()];
      expect(first.map(({ status }) => status)).toEqual([201, 201]);
      expect(again.map(({ text, headers: { 'idempotency-replayed': replayed } }) => [text, replayed])).toEqual(
        first.map(({ text }) => [text, 'true']),
      );
    });
    await serve('.', async (client) => {
      expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
      expect((await client.get('/v1/shelters')).status).toBe(404);
    });
    expect(await printed('.', 'events', 'verify')).toMatchObject({ problems: [] });
    await printed('.', 'projections', 'prune');
    expect(JSON.stringify(await printed('.', 'projections', 'status'))).not.toContain('shelters');
    await serve(tree.root, async (client) => {
      expect((await client.get('/v1/shelters')).text).toBe('[{"id":1,"name":"First"},{"id":2,"name":"Second"}]');
    });
  });
});
