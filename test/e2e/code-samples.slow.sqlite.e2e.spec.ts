import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { startService, type Service } from './service.fixture.js';

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[];
}

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, Record<string, Operation>> };
const operations = Object.values(paths).flatMap((item) => Object.values(item));

/** How a sample of each language is run. */
const COMMANDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['/bin/sh', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-c'],
};
const languages = Object.keys(COMMANDS);

describe('the code samples of the document', () => {
  let service: Service;
  let key = '';
  beforeAll(async () => {
    service = await startService();
    key = (await service.issueKey({ scopes: ['pets', 'pets:write'] })).token;
  });
  afterAll(() => service.close());

  const run = async (operationId: string, language: string) => {
    const { source = '' } =
      operations.find((one) => one.operationId === operationId)?.['x-codeSamples'].find(({ lang }) => lang === language) ?? {};
    const [command = '', ...words] = COMMANDS[language] ?? [];
    const sample = source.replace('https://api.adoption.example', service.origin);
    const { stdout } = await promisify(execFile)(command, [...words, sample], { env: { ...process.env, ADOPTION_KEY: key } });
    return stdout;
  };

  it('are there for every operation, in three languages', () => {
    expect(operations.length).toBeGreaterThan(30);
    for (const operation of operations) expect(operation['x-codeSamples'].map(({ lang }) => lang)).toEqual(languages);
  });

  it.each(languages)('do in %s what they say', async (language) => {
    expect(await run('createPet', language)).toMatch(/"name":"Rex"/);
    expect(await run('listPets', language)).toMatch(/"name":"Rex"/);
    const { status } = await service.client.get(`/v1/pets/${languages.indexOf(language) + 1}`);
    expect(status).toBe(200);
  });

  it('send what the operation requires', async () => {
    expect(await run('deletePet', 'curl')).toBe('');
    expect((await service.client.get('/v1/pets/1')).status).toBe(404);
  });
});
