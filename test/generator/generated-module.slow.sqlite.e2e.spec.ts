import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { createWorkingDirectory, runBuilt, startBuiltService, type WorkingDirectory } from '../e2e/built-service.fixture.js';
import { linesOf } from '../e2e/command-line.fixture.js';
import { contractOf } from '../e2e/openapi-contract.fixture.js';
import { copyTree, type TreeCopy } from './tree-copy.fixture.js';

describe('a build with one more module', () => {
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
  });
  afterAll(async () => {
    await tree.remove();
    await folder.remove();
  });

  it('takes one idempotency key for each of two operations', async () => {
    const elsewhere = await createWorkingDirectory();
    const service = await startBuiltService(elsewhere.path, {}, tree.root);
    const client = new ApiClient(service.origin, service.demoKey ?? '', contractOf(tree.root));
    const headers = { 'idempotency-key': 'one text' };
    const bodies = [
      ['/v1/pets', { name: 'Rex', categoryId: 7 }],
      ['/v1/shelters', { name: 'First' }],
    ] as const;
    const answers = () => Promise.all(bodies.map(([path, body]) => client.post(path, body, { headers })));
    const first = await answers();
    expect(first.map(({ status, headers: { 'idempotency-replayed': replayed } }) => ({ status, replayed }))).toEqual([
      { status: 201, replayed: undefined },
      { status: 201, replayed: undefined },
    ]);
    const again = await answers();
    expect(again.map(({ text, headers: { 'idempotency-replayed': replayed } }) => ({ text, replayed }))).toEqual(
      first.map(({ text }) => ({ text, replayed: 'true' })),
    );
    client.close();
    await service.stop('SIGTERM');
    await elsewhere.remove();
  });

  it('leaves a database to a build without it, and to the keys that there were', async () => {
    const service = await startBuiltService(folder.path);
    const client = new ApiClient(service.origin, key);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
    expect((await client.get('/v1/shelters')).status).toBe(404);
    client.close();
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(await printed('.', 'events', 'verify')).toMatchObject({ problems: [] });
  });

  it('has its tables removed by a prune of the other', async () => {
    expect(await printed('.', 'projections', 'status')).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'shelters', used: false })]),
    );
    await printed('.', 'projections', 'prune');
    expect(JSON.stringify(await printed('.', 'projections', 'status'))).not.toContain('shelters');
  });

  it('has all of it as it was when it comes back', async () => {
    const service = await startBuiltService(folder.path, {}, tree.root);
    const client = new ApiClient(service.origin, key, contractOf(tree.root));
    expect((await client.get('/v1/shelters')).text).toBe('[{"id":1,"name":"First"}]');
    client.close();
    await service.stop('SIGTERM');
  });

  it('does not start, and names thing and modules, when the module brings what another does', async () => {
    const built = join(tree.root, 'dist', 'src', 'shelters', 'index.js');
    const contribution = await readFile(built, 'utf8');
    const planted = contribution.replace('scopes: { shelters:', 'scopes: { pets:');
    expect(planted).not.toBe(contribution);
    await writeFile(built, planted);
    // The bundle has it as it was.
    await rm(join(tree.root, 'dist', 'programs'), { recursive: true });
    const { code, stdout, stderr } = await runBuilt('main', [], { cwd: folder.path, root: tree.root });
    await writeFile(built, contribution);
    expect({ code, stdout, lines: linesOf(stderr).length }).toEqual({ code: 1, stdout: '', lines: 1 });
    expect(stderr).toContain('The scope pets is declared by pets and by shelters');
  });
});
