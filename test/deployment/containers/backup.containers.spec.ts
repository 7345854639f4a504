import { fencedBlocks, readDocument } from '../../e2e/readme/readme-text.js';
import type { ApiClient } from '../../e2e/api-client.fixture.js';
import { startDeployment, type Deployment } from './deployment.fixture.js';

describe('the steps of docs/operate/backup.md', () => {
  const documented = documentedSteps();
  let deployment: Deployment;
  let client: ApiClient;
  beforeEach(async () => {
    deployment = await startDeployment();
    client = await deployment.client('unlimited');
  });

  const add = async (name: string): Promise<{ readonly location: string; readonly text: string }> => {
    const { status, headers, text } = await client.post('/v1/pets', { name, categoryId: 7 });
    expect(status).toBe(201);
    return { location: headers.location ?? '', text };
  };
  const restore = async (): Promise<void> => {
    await deployment.shell(documented.restore);
    await deployment.ready();
  };

  it('bring back the moment of the backup, and keep the database that there was', async () => {
    const kept = await add('before the backup');
    await deployment.shell(documented.backUp);
    const lost = await add('after the backup');

    await restore();

    expect((await client.get(kept.location)).text).toBe(`[${kept.text}]`);
    expect((await client.get(lost.location)).text).toBe('[]');
    await deployment.shell(documented.check);
    const query = "psql -U postgres -At -c 'SELECT datname FROM pg_database'";
    expect(await deployment.shell(`docker compose --profile production exec -T production-postgres ${query}`)).toMatch(
      /^adoption_before$/m,
    );
  });

  it('bring all back when the volumes are lost, and the restored service goes on from there', async () => {
    const kept = await add('before the loss');
    await deployment.shell(documented.backUp);
    await deployment.compose('down', '--volumes');
    await deployment.compose('up', '--detach', '--no-build', '--wait');

    await restore();

    expect((await client.get(kept.location)).text).toBe(`[${kept.text}]`);
    const added = await add('after the loss');
    expect((await client.get(added.location)).text).toBe(`[${added.text}]`);
    await deployment.shell(documented.check);
  });
});

/** The commands for PostgreSQL in the section on backups: a row of its table, a part of its first block, and its second block. */
function documentedSteps(): { readonly backUp: string; readonly restore: string; readonly check: string } {
  const section = /^## Back up and restore\n([\s\S]*?)(?=^## )/m.exec(readDocument('docs/operate/backup.md'))?.[1] ?? '';
  const [, backUp = ''] = /^\| PostgreSQL +\| `([^`]+)`/m.exec(section) ?? [];
  const [steps, check] = fencedBlocks(section).filter(({ language }) => language === 'sh');
  const [, restore = ''] = /^# PostgreSQL.*\n([^#]+)/m.exec(steps?.text ?? '') ?? [];
  expect([backUp, restore, check?.text]).toEqual([
    expect.stringContaining('pg_dump'),
    expect.stringContaining('pg_restore'),
    expect.stringContaining('events verify'),
  ]);
  return { backUp, restore, check: check?.text ?? '' };
}
