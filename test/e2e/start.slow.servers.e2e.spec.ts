import pg from 'pg';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';

describe('instances that start together on one empty database', () => {
  it('migrate it once, build it once and make exactly one demo key', async () => {
    const folder = await createWorkingDirectory();
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
      await folder.remove();
    }
  });

  it('warn of a server that acknowledges commits before they are safe', async () => {
    const folder = await createWorkingDirectory();
    const url = folder.backend['DATABASE_URL'] ?? '';
    try {
      await onDatabase(url, `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET synchronous_commit = off`);
      const service = await startBuiltService(folder.path);
      expect(service.output()).toMatch(/"level":40.*synchronous_commit = off: a crash may lose writes/);
      await service.stop('SIGKILL');
    } finally {
      await folder.remove();
    }
  });
});

async function onDatabase(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
