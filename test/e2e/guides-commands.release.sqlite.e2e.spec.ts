import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readAnswer } from './readme/readme-answer.js';
import { projectRoot, readDocument, shellBlocks, type ShellBlock } from './readme/readme-text.js';
import { openReadmeWorkspace, type ReadmeWorkspace } from './readme/readme-workspace.js';

/** Other tests run these (events-for-others, webhook-receiver), or they install what a registry has. */
const RUN_ELSEWHERE = /node totals\.mjs|npm install|graphql-codegen|npm ci/;

/** A test may have no DNS. Nothing is sent to the address, as no event happens. */
const [RECEIVER, ADDRESS] = ['shop.example.org', '93.184.215.14'];

/** The pages with commands, each done on a database of its own. */
const pages = ['reference/command-line.md', ...readdirSync(join(projectRoot, 'docs/guides')).map((name) => `guides/${name}`)]
  .map((name) => ({ name, blocks: shellBlocks(readDocument(`docs/${name}`)).filter(({ commands }) => !RUN_ELSEWHERE.test(commands)) }))
  .filter(({ blocks }) => blocks.length > 0);

/** The keys that a page takes, in the order in which they are issued. In others `ADOPTION_KEY` is the first key, which may do everything. */
const KEYS: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'guides/keys.md': { ADOPTION_KEY: { name: 'Website', owner: 'Happy Paws GmbH', scopes: ['pets', 'orders'] } },
  'guides/orders.md': {
    CLIENT_KEY: { name: 'client', scopes: ['pets', 'orders'] },
    STAFF_KEY: { name: 'staff', scopes: ['pets', 'pets:write', 'orders:all'] },
  },
};

describe.each(pages)('what docs/$name says, done on a fresh database', ({ name, blocks }) => {
  let workspace: ReadmeWorkspace;
  let variables = '';
  /** The entity tags of the service by those of the guide. */
  const tags = new Map<string, string>();

  beforeAll(async () => {
    workspace = await openReadmeWorkspace();
    for (const [variable, key] of Object.entries(KEYS[name] ?? {})) {
      const answer = await workspace.run(
        `curl -s http://127.0.0.1:3000/v1/keys -H "Authorization: Bearer $ADOPTION_KEY" -H 'Content-Type: application/json' -d '${JSON.stringify(key)}'`,
      );
      variables += `${variable}=${(JSON.parse(answer) as { secret: string }).secret}\n`;
    }
  });
  afterAll(async () => expect(await workspace.close()).toBe(0));

  it.each(blocks)('works: $commands', async ({ commands, answer }: ShellBlock) => {
    // A stream does not end; its first line says that it is one.
    if (commands.startsWith('curl -sN')) {
      expect(await workspace.run(`${commands.trimEnd()} | head -n 1`)).toBe('retry: 3000\n');
      return;
    }
    const withTags = [...tags].reduce((text, [shown, actual]) => text.replaceAll(shown, actual), commands);
    const output = (await workspace.run(variables + withTags.replaceAll(RECEIVER, ADDRESS))).replaceAll(ADDRESS, RECEIVER);
    if (answer === undefined) expect(output).not.toMatch(/"(?:status":[45]|errors":)/);
    else if (answer.startsWith('HTTP/')) expectResponse(output, answer);
    else if (/^[[{]/.test(answer)) expect(readResponse(output)).toEqual(readResponse(answer));
    else expect(output.trim()).toBe(answer);
  });

  /** Compares the status, the headers that are shown and the body. */
  function expectResponse(output: string, shown: string): void {
    const [actual, expected] = [splitResponse(output), splitResponse(shown)];
    expect(actual.status).toBe(expected.status);
    for (const [header, value] of expected.headers) {
      if (header === 'etag') tags.set(value, actual.headers.get(header) ?? '');
      else expect([header, actual.headers.get(header)]).toEqual([header, value]);
    }
    if (expected.body !== '' || actual.body !== '') expect(readResponse(actual.body)).toEqual(readResponse(expected.body));
  }
});

function splitResponse(text: string) {
  const [head = '', body = ''] = text.replaceAll('\r', '').split('\n\n');
  const [status, ...lines] = head.trimEnd().split('\n');
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const);
  return { status, headers: new Map(headers), body };
}

/** Reads JSON with what differs in each run masked. */
function readResponse(text: string): unknown {
  return readAnswer(text.replaceAll(/"remaining": ?\d+/g, '"remaining":0').replaceAll(/whsec_[\w+/=…]+/g, 'whsec_'));
}
