import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { finished } from './built-service.fixture.js';
import { openCuttingProxy, type CuttingProxy } from './cutting-proxy.fixture.js';
import { EventStreamClient, type CloudEvent } from './event-stream.fixture.js';
import { fencedBlocks, readDocument } from './readme/readme-text.js';
import { UNLIMITED } from './service.fixture.js';
import { startStore, type Store } from './store.fixture.js';

const PROGRAM = 'totals.mjs';
const NAMED_FILE = /`([\w.]+)`:\s*$/;
/** In place of what the service says, and as long, so that no length changes: who heeds them does not wait for seconds. */
const SHORT_WAITS: readonly (readonly [said: string, instead: string])[] = [
  ['retry: 3000', 'retry: 0005'],
  ['retry-after: 10', 'retry-after: 00'],
];

const blocks = ['events', 'event-reader'].flatMap((guide) => fencedBlocks(readDocument(`docs/guides/${guide}.md`)));
const files = blocks.flatMap(({ language, text, introduction }) => {
  const name = NAMED_FILE.exec(introduction)?.[1];
  return language === 'js' && name !== undefined ? [{ name, text }] : [];
});

describe('what other developers are told of events', () => {
  let store: Store;
  let proxy: CuttingProxy;
  let hear: (text: string) => void;
  let key: string;
  let folder: string;
  beforeEach(async () => {
    store = await startStore({ environment: { FEED_STREAMS: '3' } });
    key = (await store.issueKey({ ...UNLIMITED, scopes: ['events'] })).token;
    hear = () => undefined;
    proxy = await openCuttingProxy(store.origin, { pass: withShortWaits, hear: (text) => hear(text) });
    folder = mkdtempSync(join(tmpdir(), 'adoption-events-'));
    closeAtEnd(() => rmSync(folder, { recursive: true }));
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
  });
  afterEach(async () => {
    await proxy.close();
    await store.close();
  });

  /** Starts the program of the document. */
  const start = (token = key) => {
    const env = { ...process.env, EVENTS_URL: `${proxy.origin}/v1/events`, EVENTS_KEY: token };
    const reader = spawn(process.execPath, [PROGRAM], { cwd: folder, env });
    closeAtEnd(() => void reader.kill('SIGKILL'));
    let text = '';
    reader.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const hasTold = (ids: readonly number[]) => until(() => text.includes(`pet.added pets/${ids.at(-1)}\n`));
    return { reader, hasTold };
  };
  const counted = () => JSON.parse(readFileSync(join(folder, 'totals.json'), 'utf8')) as object;
  const events = async () => (await store.client.get('/v1/events?limit=100', { key })).json<CloudEvent[]>();

  it('shows an event as it is', async () => {
    const shown = JSON.parse(blocks.find(({ language }) => language === 'json')?.text ?? '') as CloudEvent;
    await store.addSeveral(1);
    const [event] = await events();
    expect(Object.keys(shown)).toEqual(Object.keys(event ?? {}));
    expect(Object.keys(shown.data)).toEqual(Object.keys(event?.data ?? {}));
    expect(shown.sequence).toBe(shown.id.padStart(19, '0'));
  });

  it('has a reader that misses nothing and counts nothing twice over lost connections and its own end', async () => {
    const before = await store.addSeveral(20);
    const first = start();
    await first.hasTold(before);
    for (let times = 0; times < 3; times += 1) {
      proxy.cut();
      await first.hasTold(await store.addSeveral(10));
    }
    const [withdrawn = 0] = before;
    first.reader.kill('SIGKILL');
    await Promise.all([store.withdraw(withdrawn), once(first.reader, 'exit')]);
    const meanwhile = await store.addSeveral(10);
    const second = start();
    await second.hasTold(meanwhile);
    expect(counted()).toEqual({ position: (await events()).at(-1)?.id, totals: { 'pet.added': 60, 'pet.withdrawn': 1 } });
    expect(proxy.connections).toBe(5);
  });

  it('has a reader that asks again while it is told to come later', async () => {
    const others = await Promise.all([0, 1, 2].map(() => EventStreamClient.open(store.origin, { key })));
    const refused = new Promise<void>((resolve) => (hear = (text) => text.startsWith('HTTP/1.1 503') && resolve()));
    const { hasTold } = start();
    await refused;
    const ids = await store.addSeveral(1);
    for (const other of others) other.close();
    await hasTold(ids);
  });

  it('has a reader that ends where asking again would not help', async () => {
    expect(await finished(start(store.keeper).reader)).toMatchObject({ code: 1, stderr: expect.stringContaining('insufficient_scope') });
    expect(proxy.connections).toBe(1);
  });
});

function withShortWaits(text: string): string {
  return SHORT_WAITS.reduce((shortened, [said, instead]) => shortened.replace(said, instead), text);
}
