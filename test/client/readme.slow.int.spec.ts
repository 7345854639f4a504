import { findFreePort } from '../databases/free-port.fixture.js';
import { createWorkingDirectory, startBuiltService, type BuiltService } from '../e2e/built-service.fixture.js';
import { fencedBlocks, readDocument } from '../e2e/readme/readme-text.js';
import { createClientProject, PACKING_MILLISECONDS, type ClientProject } from './packed-client.fixture.js';

/** Where the receiver of the example listens. */
const EXAMPLE_PORT = /\b4000\b/g;
const blocks = fencedBlocks(readDocument('packages/client/README.md'));
const examples = blocks.flatMap(({ language, text }, index) => {
  const shown = blocks[index + 1];
  return language === 'js'
    ? [{ text, name: text.split('\n').findLast((line) => line !== ''), output: shown?.followsBlock ? shown.text : undefined }]
    : [];
});

describe('what the README of the client shows, one program after another with a new service', () => {
  let project: ClientProject;
  let service: BuiltService;
  beforeAll(async () => {
    const { path } = await createWorkingDirectory();
    [project, service] = await Promise.all([
      createClientProject(),
      startBuiltService(path, { WEBHOOK_ALLOW_LOOPBACK: 'true', LOG_LEVEL: 'warn' }),
    ]);
  }, PACKING_MILLISECONDS);

  it('is all shown with what it prints', () => {
    expect(examples.length).toBeGreaterThan(6);
    for (const { output } of examples) expect(output).toBeDefined();
  });

  it('compiles in the strictest program', async () => {
    const files = examples.map((_, index) => `example-${index}.mts`);
    for (const [index, { text }] of examples.entries()) await project.write(files[index] ?? '', text);
    await expect(project.compile(files)).resolves.toBe('');
  });

  it.each(examples)('prints what is shown: … $name', async ({ text, output }) => {
    await project.write('example.mjs', text.replaceAll(EXAMPLE_PORT, String(await findFreePort())));
    const environment = { ADOPTION_URL: service.origin, ADOPTION_KEY: service.demoKey ?? '' };
    expect(await project.run(process.execPath, ['example.mjs'], environment)).toBe(`${output}\n`);
  });
});
