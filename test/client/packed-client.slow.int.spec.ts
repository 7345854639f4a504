import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { describeInBrowser, openPage, startBrowser } from '../e2e/browser.fixture.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';
import { createClientProject, PACKING_MILLISECONDS, type ClientProject } from './packed-client.fixture.js';

const LARGEST_BYTES = 10_240;
const GREATEST = '9223372036854775807';
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: false };
const nodeTypes = { types: ['node'], typeRoots: [join(process.cwd(), 'node_modules', '@types')] };
/** Where programs are compiled. */
const PLACES: readonly (readonly [string, object])[] = [
  ['a page', { target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], module: 'ESNext', moduleResolution: 'Bundler' }],
  ['Node', { target: 'ES2022', lib: ['ES2022'], ...nodeTypes, module: 'NodeNext', moduleResolution: 'NodeNext' }],
];

const USE = `
import { AdoptionError, createClient, etagOf, verifyWebhook, type AdoptionEvent, type Animal, type Client } from '@adoption/client';

const exact: Client<bigint> = createClient({ baseUrl: 'https://adoption.example', key: 'key' });
const texts: Client<string> = createClient({ baseUrl: 'https://adoption.example', key: 'key', ids: 'string', maxWait: 0 });

export async function use(signal: AbortSignal | undefined): Promise<readonly [bigint, string]> {
  const rex: Animal<bigint> = await exact.pets.add({ name: 'Rex', categoryId: 7n, status: undefined }, { signal });
  const max: Animal<string> = await texts.pets.add({ name: 'Max', categoryId: '7' });
  const unchanged: Animal<bigint> | undefined = await exact.pets.get(rex.id, { ifNoneMatch: etagOf(rex) ?? '*' });
  for await (const { categoryId } of texts.pets.list({ status: 'available', limit: 100, signal })) await texts.pets.get(categoryId);
  for await (const event of exact.events.stream({ after: '42', types: ['pet.added'], signal })) {
    const position: string = event.id;
    if (event.type === 'order.placed') await exact.orders.approve(event.data.id);
    if (event.type === 'pet.added') await exact.pets.update(event.data.id, { status: 'pending' }, { signal });
    if (position === '50') break;
  }
  const event: AdoptionEvent<bigint> = await verifyWebhook('whsec_', {}, '');
  if (event.type === 'pet.withdrawn') return [event.data.categoryId, unchanged?.name ?? max.name];
  // @ts-expect-error a number would lose digits
  await exact.pets.get(7);
  // @ts-expect-error these ids are texts
  await texts.pets.get(7n);
  // @ts-expect-error there is no such status
  exact.pets.list({ status: 'gone' });
  // @ts-expect-error there may be no such animal
  unchanged.name;
  // @ts-expect-error a result is not to be changed
  rex.name = 'Max';
  return [(await exact.orders.inventory()).available, max.categoryId];
}

export function whatToDo(error: unknown): number {
  if (error instanceof AdoptionError && error.code === 'rate_limited') return error.retryAfter ?? error.reset ?? error.status;
  throw error;
}
`;

/** Adds an animal, finds it and hears of it. */
const ROUND_TRIP = `
import { createClient } from '@adoption/client';
export async function roundTrip(baseUrl, key) {
  const client = createClient({ baseUrl, key, ids: 'string' });
  const added = await client.pets.add({ name: 'Rex', categoryId: '${GREATEST}' });
  const listed = [];
  for await (const animal of client.pets.list({ limit: 1 })) if (animal.id === added.id) listed.push(animal);
  for await (const { type, data } of client.events.stream({ after: 'earliest' })) if (data.id === added.id) return { added, listed, type };
}
`;

describe('the package of the client', () => {
  let project: ClientProject;
  let service: Service;
  let key: string;
  beforeAll(async () => {
    [project, service] = await Promise.all([createClientProject(), startService({ environment: { CORS_ORIGINS: '*' } })]);
    ({ token: key } = await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'events'] }));
    await project.write('use.ts', USE);
    await project.write('round-trip.mjs', ROUND_TRIP);
  }, PACKING_MILLISECONDS);
  afterAll(() => service.close());

  const scripts = () => readdirSync(project.installed, { recursive: true, encoding: 'utf8' }).filter((path) => /\.[cm]?js$/.test(path));

  it('has code, types, licence and documentation, and needs no other package', () => {
    const others = project.packed.filter((path) => !/^dist\/[a-z-]+\.d\.ts$/.test(path));
    expect(others).toEqual(['LICENSE', 'README.md', 'dist/index.js', 'package.json']);
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8')) as {
      readonly dependencies?: object;
      readonly peerDependencies?: object;
    };
    expect([dependencies, peerDependencies]).toEqual([undefined, undefined]);
    expect(readdirSync(join(project.folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@adoption']);
  });

  it('has at most 10,240 bytes of code, compressed together or each file by itself', () => {
    const contents = scripts().map((path) => readFileSync(join(project.installed, path)));
    const size = (bytes: Buffer) => gzipSync(bytes, { level: 9 }).length;
    expect(size(Buffer.concat(contents))).toBeLessThan(LARGEST_BYTES);
    expect(contents.reduce((sum, bytes) => sum + size(bytes), 0)).toBeLessThan(LARGEST_BYTES);
  });

  it.each(PLACES)('has types for the strictest program in %s', async (_, options) => {
    await project.write('tsconfig.json', JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: ['use.ts'] }));
    await expect(project.run(process.execPath, [compiler, '-p', '.'])).resolves.toBe('');
  });

  const expected = () => ({
    added: { id: expect.stringMatching(/^\d+$/) as string, name: 'Rex', categoryId: GREATEST },
    listed: [expect.objectContaining({ categoryId: GREATEST })],
    type: 'pet.added',
  });

  it('adds, lists and hears of an animal in Node', async () => {
    const program = `import { roundTrip } from './round-trip.mjs';
      console.log(JSON.stringify(await roundTrip(process.env.URL, process.env.KEY)));`;
    const printed = await project.run(process.execPath, ['--input-type=module', '-e', program], { URL: service.origin, KEY: key });
    expect(JSON.parse(printed)).toEqual(expected());
  });

  describeInBrowser('in a page of another origin', () => {
    it('adds, lists and hears of an animal, and learns from headers', async () => {
      const page = await openShop(project, service.origin, key);
      const done = await page.evaluate(
        `import('/round-trip.mjs').then(({ roundTrip }) => roundTrip(window.origin_of_service, window.key))`,
      );
      expect(done).toEqual(expected());
      const refused = await page.evaluate(`import('@adoption/client').then(async ({ createClient, etagOf }) => {
        const warnings = [];
        const client = createClient({ baseUrl: window.origin_of_service, key: window.key, onWarning: (message) => warnings.push(message) });
        const error = await client.orders.inventory().catch((thrown) => thrown);
        const pet = await client.pets.get(1n);
        return [error.status, error.code, typeof error.requestId, typeof error.reset, etagOf(pet), String(warnings)];
      })`);
      expect(refused).toEqual([
        403,
        'insufficient_scope',
        'string',
        'number',
        expect.stringMatching(/^".+"$/),
        expect.stringContaining('deprecated'),
      ]);
    });
  });
});

/** A page of another origin that finds the package by its name. */
async function openShop({ folder, installed }: ClientProject, origin: string, key: string) {
  const imports = { '@adoption/client': '/client.js' };
  const files: Readonly<Record<string, string>> = {
    '/client.js': readFileSync(join(installed, 'dist', 'index.js'), 'utf8'),
    '/round-trip.mjs': readFileSync(join(folder, 'round-trip.mjs'), 'utf8'),
  };
  const html = `<!doctype html><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>
    <script>window.origin_of_service = ${JSON.stringify(origin)}; window.key = ${JSON.stringify(key)};</script>`;
  const server = createServer(({ url = '' }, response) => {
    const file = files[url];
    response.setHeader('content-type', file === undefined ? 'text/html' : 'text/javascript').end(file ?? html);
  }).listen(0, '127.0.0.1');
  closeAtEnd(() => server.close());
  await once(server, 'listening');
  const browser = await startBrowser();
  closeAtEnd(() => browser.close());
  const { page } = await openPage(browser, `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return page;
}
