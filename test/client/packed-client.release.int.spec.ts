import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findFreePort } from '../databases/free-port.fixture.js';
import { createWorkingDirectory, startBuiltService } from '../e2e/built-service.fixture.js';
import { fencedBlocks, readDocument } from '../e2e/readme/readme-text.js';
import { createClientProject, PACKING_MILLISECONDS, type ClientProject } from './packed-client.fixture.js';

const LARGEST_BYTES = 10_240;
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');

const STRICT = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: false };
const nodeTypes = { types: ['node'], typeRoots: [join(process.cwd(), 'node_modules', '@types')] };
/** Where programs are compiled. */
const PLACES: readonly (readonly [string, object])[] = [
  ['a page', { target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], module: 'ESNext', moduleResolution: 'Bundler' }],
  ['Node', { target: 'ES2022', lib: ['ES2022'], ...nodeTypes, module: 'NodeNext', moduleResolution: 'NodeNext' }],
];

const USE = `
import { createClient, etagOf, verifyWebhook } from '@adoption/client';
import type { AdoptionEvent, Animal, Client, WebhookEvent } from '@adoption/client';

const exact: Client<bigint> = createClient({ baseUrl: 'https://adoption.example', key: 'key' });
const texts: Client<string> = createClient({ baseUrl: 'https://adoption.example', key: 'key', ids: 'string', maxWait: 0 });

export async function use(signal: AbortSignal | undefined): Promise<readonly [bigint, string]> {
  const rex: Animal<bigint> = await exact.pets.add({ name: 'Rex', categoryId: 7n, status: undefined }, { signal });
  const max: Animal<string> = await texts.pets.add({ name: 'Max', categoryId: '7' });
  const unchanged: Animal<bigint> | undefined = await exact.pets.get(rex.id, { ifNoneMatch: etagOf(rex) ?? '*' });
  const seen = await exact.pets.get(rex.id, { signal });
  const tag: string = etagOf(seen);
  const later: Animal<bigint> | undefined = await exact.pets.get(rex.id, { ifNoneMatch: etagOf(seen) });
  await exact.pets.update(rex.id, { name: 'Max' }, { ifMatch: etagOf(seen), signal });
  const order = await exact.orders.place({ petId: rex.id }, { idempotencyKey: 'one' });
  await exact.orders.cancel(order.id, { reason: later?.name, ifMatch: etagOf(await exact.orders.approve(order.id)) });
  const [listed] = await exact.pets.list().toArray({ max: 1 });
  if (!listed) throw new Error('nothing');
  const none: string | undefined = etagOf(listed);
  for await (const event of exact.events.stream({ after: '42', types: ['pet.added'], signal })) {
    const position: string = event.id;
    const type: 'pet.added' = event.type;
    if (String(type) !== position) continue;
    await exact.pets.update(event.data.id, { status: event.data.status ?? 'pending' }, { signal });
    if (position === '50') break;
  }
  for await (const event of exact.events.list({ types: ['order.placed', 'pet.added'] })) {
    const one: AdoptionEvent<bigint, 'order.placed' | 'pet.added'> = event;
    if (event.type === 'order.placed') await exact.orders.approve(event.data.id);
    else await exact.pets.update(event.data.id, { name: event.data.name + one.id });
  }
  const event: WebhookEvent<bigint> = await verifyWebhook('whsec_', {}, '');
  if (event.type === 'webhook.test') await exact.webhooks.get(event.data.id);
  if (event.type === 'pet.withdrawn') return [event.data.categoryId, unchanged?.name ?? max.name];
  // @ts-expect-error a number would lose digits
  await exact.pets.get(7);
  // @ts-expect-error there may be no such animal
  unchanged.name;
  // @ts-expect-error nothing would guard the change
  await exact.pets.update(7n, {}, { ifMatch: undefined });
  // @ts-expect-error an item of a list has no entity tag
  await exact.pets.update(7n, {}, { ifMatch: etagOf(listed) });
  // @ts-expect-error it might be placed twice
  await exact.orders.place({ petId: 7n }, { idempotencyKey: undefined });
  // @ts-expect-error an array has a bound
  await exact.pets.list().toArray();
  return [(await exact.orders.inventory()).available, max.categoryId];
}
`;

/** Where the receiver of the example in the README listens. */
const EXAMPLE_PORT = /\b4000\b/g;
const blocks = fencedBlocks(readDocument('packages/client/README.md'));
/** What the README shows, with what it prints. */
const examples = blocks.flatMap(({ language, text }, index) => {
  const shown = blocks[index + 1];
  return language === 'js' ? [{ text, output: shown?.followsBlock ? shown.text : undefined }] : [];
});

describe('the package of the client', () => {
  let project: ClientProject;
  beforeAll(async () => {
    project = await createClientProject();
    await project.write('use.ts', USE);
  }, PACKING_MILLISECONDS);

  it('has code of at most 10,240 bytes, types, licence and documentation, and needs no other package', () => {
    const others = project.packed.filter((path) => !/^dist\/[a-z-]+\.d\.ts$/.test(path));
    expect(others).toEqual(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.js.map', 'package.json']);
    expect(gzipSync(readFileSync(join(project.installed, 'dist/index.js')), { level: 9 }).length).toBeLessThan(LARGEST_BYTES);
    expect(readdirSync(join(project.folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@adoption']);
  });

  it.each(PLACES)('has types for the strictest program in %s', async (_, options) => {
    await project.write('tsconfig.json', JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files: ['use.ts'] }));
    await expect(project.run(process.execPath, [compiler, '-p', '.'])).resolves.toBe('');
  });

  it('compiles and prints what its README shows, one program after another with a new service', async () => {
    const { path } = await createWorkingDirectory();
    const fresh = await startBuiltService(path, { WEBHOOK_ALLOW_LOOPBACK: 'true', LOG_LEVEL: 'warn' });
    const environment = { ADOPTION_URL: fresh.origin, ADOPTION_KEY: fresh.demoKey ?? '' };
    expect(examples.length).toBeGreaterThan(4);
    const files = examples.map((_, index) => `example-${index}.mts`);
    for (const [index, { text }] of examples.entries()) await project.write(files[index] ?? '', text);
    await expect(project.compile(files)).resolves.toBe('');
    for (const { text, output } of examples) {
      await project.write('example.mjs', text.replaceAll(EXAMPLE_PORT, String(await findFreePort())));
      expect(await project.run(process.execPath, ['example.mjs'], environment)).toBe(`${output}\n`);
    }
  });
});
