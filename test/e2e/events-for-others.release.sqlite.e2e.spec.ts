import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { itInBrowser, startBrowser } from './browser.fixture.js';
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

const IN_PAGE = `async ({ url, key }) => {
  const { follow } = await import('/follow.mjs');
  const subjects = [];
  for await (const { event } of follow(url, { key, position: 'earliest' })) {
    if (event) console.log(subjects.push(event.subject));
    if (subjects.length === 6) return subjects;
  }
}`;

const blocks = ['events', 'event-reader'].flatMap((guide) => fencedBlocks(readDocument(`docs/guides/${guide}.md`)));
const files = blocks.flatMap(({ language, text, introduction }) => {
  const name = NAMED_FILE.exec(introduction)?.[1];
  return language === 'js' && name !== undefined ? [{ name, text }] : [];
});

/** The program of the document, in a folder with its files. */
class Reader {
  /** What it has printed since its last start. */
  readonly lines: string[] = [];
  private wake: () => void = () => undefined;

  private constructor(private readonly child: ChildProcess) {
    closeAtEnd(() => this.kill());
    if (!child.stdout) throw new Error('Nothing can be heard of the program.');
    createInterface(child.stdout).on('line', (line) => this.hear(line));
    child.on('exit', () => this.wake());
  }

  static start(folder: string, environment: Readonly<Record<string, string>>): Reader {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    return new Reader(spawn(process.execPath, [PROGRAM], { cwd: folder, env: { ...process.env, ...environment }, stdio }));
  }

  /** Resolves when it has told of this. @throws Error where it ends before */
  async hasTold(what: string): Promise<void> {
    while (!this.lines.some((line) => line.endsWith(what))) {
      if (this.child.exitCode !== null) throw new Error(`It has ended with ${this.child.exitCode}: ${this.lines.join(', ')}`);
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** What it says on standard error, and its exit code, once it has ended by itself. */
  async ended(): Promise<{ readonly code: number | null; readonly problem: string }> {
    let problem = '';
    this.child.stderr?.on('data', (text: Buffer) => (problem += text.toString()));
    if (this.child.exitCode === null) await once(this.child, 'close');
    return { code: this.child.exitCode, problem };
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  private hear(line: string): void {
    this.lines.push(line);
    this.wake();
  }
}

describe('what other developers are told of events', () => {
  let store: Store;
  let proxy: CuttingProxy;
  let hear: (text: string) => void;
  let key: string;
  let folder: string;
  beforeEach(async () => {
    store = await startStore({ environment: { FEED_STREAMS: '3', CORS_ORIGINS: '*' } });
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

  const start = (token = key) => Reader.start(folder, { EVENTS_URL: `${proxy.origin}/v1/events`, EVENTS_KEY: token });
  const added = (ids: readonly number[]) => `pet.added pets/${ids.at(-1)}`;
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
    let reader = start();
    await reader.hasTold(added(before));
    for (let times = 0; times < 3; times += 1) {
      proxy.cut();
      await reader.hasTold(added(await store.addSeveral(10)));
    }
    const [withdrawn = 0] = before;
    await Promise.all([store.withdraw(withdrawn), reader.kill()]);
    const meanwhile = await store.addSeveral(10);
    reader = start();
    await reader.hasTold(added(meanwhile));
    expect(counted()).toEqual({ position: (await events()).at(-1)?.id, totals: { 'pet.added': 60, 'pet.withdrawn': 1 } });
    expect(proxy.connections).toBe(5);
  });

  it('has a reader that asks again while it is told to come later', async () => {
    const others = await Promise.all([0, 1, 2].map(() => EventStreamClient.open(store.origin, { key })));
    const refused = new Promise<void>((resolve) => (hear = (text) => text.startsWith('HTTP/1.1 503') && resolve()));
    const reader = start();
    await refused;
    const ids = await store.addSeveral(1);
    for (const other of others) other.close();
    await reader.hasTold(added(ids));
  });

  itInBrowser('has a reader that goes on after a lost connection in a page of another origin too', async () => {
    const browser = await startBrowser();
    closeAtEnd(() => browser.close());
    const page = await browser.newPage();
    await page.goto(await openShop());
    const before = await store.addSeveral(3);
    const third = page.waitForEvent('console', (message) => message.text() === '3');
    const reading = page.evaluate(`(${IN_PAGE})(${JSON.stringify({ url: `${proxy.origin}/v1/events`, key })})`);
    await third;
    proxy.cut();
    const ids = [...before, ...(await store.addSeveral(3))];
    expect(await reading).toEqual(ids.map((id) => `pets/${id}`));
  });

  it('has a reader that ends where asking again would not help', async () => {
    const { code, problem } = await start(store.keeper).ended();
    expect(code).toBe(1);
    expect(problem).toContain('insufficient_scope');
    expect(proxy.connections).toBe(1);
  });
});

/** The origin of a page that has the files of the document. */
async function openShop(): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const file = files.find(({ name }) => url === `/${name}`);
    response.setHeader('content-type', file ? 'text/javascript' : 'text/html').end(file?.text);
  }).listen(0, '127.0.0.1');
  closeAtEnd(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function withShortWaits(text: string): string {
  return SHORT_WAITS.reduce((shortened, [said, instead]) => shortened.replace(said, instead), text);
}
