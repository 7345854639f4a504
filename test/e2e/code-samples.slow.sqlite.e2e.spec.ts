import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createClientProject, PACKING_MILLISECONDS } from '../client/packed-client.fixture.js';
import { refuse, startScriptedServer, type Received } from '../client/scripted-server.fixture.js';
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
const SAMPLE_ORIGIN = 'https://api.adoption.example';

function sampleOf({ 'x-codeSamples': samples }: Operation, language: string): string {
  return samples.find(({ lang }) => lang === language)?.source ?? '';
}

/** What counts of a request. A PATCH takes a merge patch as either type. */
function essentialOf({ method, url, headers, body }: Received) {
  return { method, url, body, type: headers['content-type']?.replace('merge-patch+', ''), credential: headers.authorization };
}

describe('the code samples of the document', () => {
  let service: Service;
  let key = '';
  beforeAll(async () => {
    service = await startService();
    key = (await service.issueKey({ scopes: ['pets', 'pets:write'] })).token;
  });
  afterAll(() => service.close());

  const run = async (operationId: string, language: string) => {
    const operation = operations.find((one) => one.operationId === operationId);
    const [command = '', ...words] = COMMANDS[language] ?? [];
    const sample = operation ? sampleOf(operation, language).replace(SAMPLE_ORIGIN, service.origin) : '';
    const { stdout } = await promisify(execFile)(command, [...words, sample], { env: { ...process.env, ADOPTION_KEY: key } });
    return stdout;
  };

  it('are there for every operation, in three languages and by the client package', () => {
    expect(operations.length).toBeGreaterThan(30);
    for (const operation of operations) expect(operation['x-codeSamples'].map(({ lang }) => lang)).toEqual([...languages, 'TypeScript']);
  });

  it(
    'of an operation all send the same request',
    async () => {
      const [server, project] = await Promise.all([startScriptedServer(refuse(404, 'not_found')), createClientProject()]);
      const files = operations.map(({ operationId }) => `${operationId}.mts`);
      for (const operation of operations) await project.write(`${operation.operationId}.mts`, sampleOf(operation, 'TypeScript'));
      await expect(project.compile(files)).resolves.toBe('');
      for (const operation of operations) {
        const sent: unknown[][] = [];
        for (const language of [...languages, 'TypeScript']) {
          const sample = sampleOf(operation, language).replace(SAMPLE_ORIGIN, server.origin);
          const [command, ...words] = COMMANDS[language] ?? [process.execPath, '--input-type=module', '-e'];
          const before = server.received.length;
          // It fails, as nothing is found; what it has sent counts.
          await project.run(command, [...words, sample], { ADOPTION_KEY: 'adopt_test' }).catch(() => undefined);
          sent.push(server.received.slice(before).map(essentialOf));
        }
        const [first, ...others] = sent;
        expect(first).toHaveLength(1);
        for (const other of others) expect(other).toEqual(first);
      }
    },
    PACKING_MILLISECONDS,
  );

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
