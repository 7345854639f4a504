import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyBuild } from '../builds/changed-build.fixture.js';
import { ApiClient } from './api-client.fixture.js';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';

describe('a service that is built again while it serves', () => {
  it('answers what it is asked for the first time, and ends in good order', async () => {
    const [{ root }, folder] = await Promise.all([copyBuild(), createWorkingDirectory()]);
    const service = await startBuiltService(folder.path, { LOG_LEVEL: 'error' }, root);
    // The files of the next build have other names.
    await rm(join(root, 'dist/programs'), { recursive: true });
    const client = new ApiClient(service.origin, service.demoKey ?? '');
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
    expect((await client.post('/graphql', { query: '{ pets(first: 1) { nodes { name } } }' })).json()).toEqual({
      data: { pets: { nodes: [{ name: 'Rex' }] } },
    });
    for (const page of ['/docs', '/docs/errors', '/docs/changelog', '/graphiql']) expect((await client.get(page)).status).toBe(200);
    client.close();
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(service.output()).not.toContain('"level":50');
    await folder.remove();
  });
});
