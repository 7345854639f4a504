import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createClientProject } from '../client/packed-client.fixture.js';
import { refuse, startScriptedServer, type Received } from '../client/scripted-server.fixture.js';
import { startService } from './service.fixture.js';

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
  TypeScript: [process.execPath, '--input-type=module', '-e'],
};
const SAMPLE_ORIGIN = 'https://api.adoption.example';

function sampleOf({ 'x-codeSamples': samples }: Operation, language: string): string {
  return samples.find(({ lang }) => lang === language)?.source ?? '';
}

/** What counts of a request. A PATCH takes a merge patch as either type. */
function essentialOf({ method, url, headers, body }: Received) {
  return { method, url, body, type: headers['content-type']?.replace('merge-patch+', ''), credential: headers.authorization };
}

describe('the code samples of the document', () => {
  it('of every operation, in three languages and by the client package, compile and send the same request', async () => {
    const [server, project] = await Promise.all([startScriptedServer(refuse(404, 'not_found')), createClientProject()]);
    const files = operations.map(({ operationId }) => `${operationId}.mts`);
    for (const operation of operations) await project.write(`${operation.operationId}.mts`, sampleOf(operation, 'TypeScript'));
    await expect(project.compile(files)).resolves.toBe('');
    expect(operations.length).toBeGreaterThan(30);
    for (const operation of operations) {
      const sent: unknown[][] = [];
      for (const [language, [command, ...words]] of Object.entries(COMMANDS)) {
        const sample = sampleOf(operation, language).replace(SAMPLE_ORIGIN, server.origin);
        const before = server.received.length;
        // It fails, as nothing is found; what it has sent counts.
        await project.run(command, [...words, sample], { ADOPTION_KEY: 'adopt_test' }).catch(() => undefined);
        sent.push(server.received.slice(before).map(essentialOf));
      }
      const [first, ...others] = sent;
      expect(first).toHaveLength(1);
      for (const other of others) expect([operation.operationId, other]).toEqual([operation.operationId, first]);
    }
  });

  it('do what they say', async () => {
    const service = await startService();
    const { token } = await service.issueKey({ scopes: ['pets', 'pets:write'] });
    for (const [operationId, printed] of [
      ['createPet', '"name":"Rex"'],
      ['listPets', '"name":"Rex"'],
      ['deletePet', ''],
    ] as const) {
      const operation = operations.find((one) => one.operationId === operationId);
      const sample = operation ? sampleOf(operation, 'curl').replace(SAMPLE_ORIGIN, service.origin) : '';
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', sample], { env: { ...process.env, ADOPTION_KEY: token } });
      expect(stdout).toContain(printed);
    }
    expect((await service.client.get('/v1/pets/1')).status).toBe(404);
    await service.close();
  });
});
