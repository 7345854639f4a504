import { readFileSync } from 'node:fs';
import { createClientProject } from '../client/packed-client.fixture.js';
import { refuse, startScriptedServer, type Received } from '../client/scripted-server.fixture.js';

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[];
}

const { paths } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as { paths: Record<string, Record<string, Operation>> };
const operations = Object.values(paths).flatMap((item) => Object.values(item));

const IMPORT_EACH = `for (const file of process.argv.slice(1)) await import('./' + file).catch(() => undefined);`;
/** Programs that run the files of samples one after another, whatever each ends with. */
const RUNNERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  curl: ['/bin/sh', '-c', 'for file; do /bin/sh "$file"; done; true', 'sh'],
  TypeScript: [process.execPath, '--input-type=module', '-e', IMPORT_EACH, '--'],
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
  it('of every operation, for curl and by the client package, compile and send the same request', async () => {
    const [server, project] = await Promise.all([startScriptedServer(refuse(404, 'not_found')), createClientProject()]);
    const write = async (language: string, extension: string, origin = SAMPLE_ORIGIN) => {
      const samples = operations.map((one) => [`${one.operationId}.${language}.${extension}`, sampleOf(one, language)] as const);
      for (const [file, sample] of samples) await project.write(file, sample.replace(SAMPLE_ORIGIN, origin));
      return samples.map(([file]) => file);
    };
    expect(operations.length).toBeGreaterThan(30);
    await expect(project.compile(await write('TypeScript', 'mts'))).resolves.toBe('');
    const sent: unknown[][] = [];
    for (const [language, [command, ...words]] of Object.entries(RUNNERS)) {
      const before = server.received.length;
      await project.run(command, [...words, ...(await write(language, 'mjs', server.origin))], { ADOPTION_KEY: 'adopt_test' });
      sent.push(server.received.slice(before).map(essentialOf));
    }
    const [first, ...others] = sent;
    expect(first).toHaveLength(operations.length);
    for (const other of others) expect(other).toEqual(first);
  });
});
