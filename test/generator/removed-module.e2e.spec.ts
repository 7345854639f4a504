import { ApiClient } from '../e2e/api-client.fixture.js';
import { createWorkingDirectory, runBuilt, startBuiltService, type WorkingDirectory } from '../e2e/built-service.fixture.js';
import { copyTree, type TreeCopy } from './tree-copy.fixture.js';

const PATIENCE_MILLISECONDS = 300_000;

describe('a database that a build with one more module has worked on', () => {
  let tree: TreeCopy;
  let folder: WorkingDirectory;
  let key: string;

  const printed = async (root: string, ...words: string[]) => {
    const { code, stdout, stderr } = await runBuilt('cli', words, { cwd: folder.path, root });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout || 'null') as unknown;
  };

  beforeAll(async () => {
    [tree, folder] = await Promise.all([copyTree(), createWorkingDirectory()]);
    expect(await tree.generate('module', 'shelters')).toMatchObject({ code: 0 });
    await tree.build();
    await printed(tree.root, 'db', 'migrate');
    expect(await printed(tree.root, 'shelters', 'add', '--name', 'First')).toEqual({ id: 1, name: 'First' });
    const issued = await printed(tree.root, 'keys', 'create', '--name', 'test', '--scopes', 'pets,shelters');
    key = (issued as { key: string }).key;
  }, PATIENCE_MILLISECONDS);
  afterAll(async () => {
    await tree.remove();
    await folder.remove();
  });

  it('is served by one without it, to the keys that there were', async () => {
    const service = await startBuiltService(folder.path);
    const client = new ApiClient(service.origin, key);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
    expect((await client.get('/v1/shelters')).status).toBe(404);
    client.close();
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(await printed('.', 'events', 'verify')).toMatchObject({ problems: [] });
  });

  it('is rid of its tables by a prune', async () => {
    expect(await printed('.', 'projections', 'status')).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'shelters', used: false })]),
    );
    await printed('.', 'projections', 'prune');
    expect(JSON.stringify(await printed('.', 'projections', 'status'))).not.toContain('shelters');
  });

  it('has it again, as it was, in a build that has it again', async () => {
    const service = await startBuiltService(folder.path, {}, tree.root);
    const client = new ApiClient(service.origin, key);
    expect((await client.get('/v1/shelters')).text).toBe('[{"id":1,"name":"First"}]');
    client.close();
    await service.stop('SIGTERM');
  });
});
