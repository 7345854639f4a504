import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import pg from 'pg';
import { createWorkingDirectory, launchBuiltService, startBuiltService, type WorkingDirectory } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';

describe('starting the built service on PostgreSQL', () => {
  let folder: WorkingDirectory;
  beforeEach(async () => (folder = await createWorkingDirectory()));
  afterEach(() => folder.remove());

  it('migrates an empty database once and makes exactly one demo key, though several start together', async () => {
    const together = await Promise.all(Array.from({ length: 3 }, () => startBuiltService(folder.path)));
    try {
      const keys = together.flatMap(({ demoKey }) => demoKey ?? []);
      expect(keys).toHaveLength(1);
      for (const { origin } of together) {
        const answer = await fetchDocumented(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${keys[0] ?? ''}` } });
        expect(await answer.json()).toEqual([]);
      }
    } finally {
      await Promise.all(together.map((each) => each.stop('SIGKILL')));
    }
  });

  it('warns of a server that acknowledges commits before they are safe', async () => {
    const url = folder.backend['DATABASE_URL'] ?? '';
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const statement = `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`;
    await client.query(statement).finally(() => client.end());
    const service = await startBuiltService(folder.path);
    expect(service.output()).toMatch(/"level":40.*synchronous_commit = off: a crash may lose writes/);
    await service.stop('SIGKILL');
  });

  it.each(['json', 'pretty'])('waits for a server that is silent until it is told to end, with 0 and a last line in %s', async (format) => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const launched = launchBuiltService(folder.path, {
      DATABASE_URL: `postgres://adoption@127.0.0.1:${port}/adoption`,
      DATABASE_TIMEOUT_MILLISECONDS: '60000',
      LOG_FORMAT: format,
    });
    launched.listening.catch(() => undefined);
    const [socket] = (await once(silent, 'connection')) as [Socket];
    expect(await launched.stop('SIGTERM')).toBe(0);
    expect(launched.lastLine()).toMatch(/\bstopped\b/);
    socket.destroy();
    silent.close();
  });
});
