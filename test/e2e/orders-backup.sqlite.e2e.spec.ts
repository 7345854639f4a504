import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runHere } from './command-line.fixture.js';
import { startStore, type Store } from './store.fixture.js';

describe('a backup', () => {
  let store: Store;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adoption-backup-'));
    store = await startStore();
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('has the orders of its moment, and their animals', async () => {
    const [one = 0, other = 0, third = 0] = await store.addSeveral(3);
    const { id } = await store.place(one);
    await store.place(other, { note: 'On Saturday.' });
    await store.move(id, 'approve');
    const file = join(folder, 'copy.sqlite');
    const list = await runHere(store.backend, ['orders', 'list']);
    expect(await runHere(store.backend, ['db', 'backup', file])).toMatchObject({ code: 0 });
    await store.place(third);
    await store.move(id, 'deliver');

    const onCopy = (...words: string[]) => runHere({ DATABASE_URL: `sqlite:${file}` }, words);
    expect(await onCopy('orders', 'list')).toEqual(list);
    expect(JSON.parse((await onCopy('events', 'verify')).stdout)).toMatchObject({ problems: [] });
    expect(JSON.parse((await onCopy('orders', 'deliver', `${id}`)).stdout)).toMatchObject({ id, status: 'delivered', version: 3 });
    expect((await onCopy('pets', 'export')).stdout).toContain('"status":"sold"');
  });
});
