import { readAnswer } from './readme/readme-answer.js';
import { readDocument, shellBlocks } from './readme/readme-text.js';
import { openReadmeWorkspace, type ReadmeWorkspace } from './readme/readme-workspace.js';

const COMMAND_MILLISECONDS = 120_000;

/** What the commands print whose answer is not shown in JSON. */
const PRINTED: readonly (readonly [command: RegExp, output: RegExp])[] = [
  [/keys\/2\/ban/, /^"code":"key_banned"\n$/],
  [/keys\/3\/revoke/, /^"status":"revoked"\n$/],
  [/\/v1\/key /, /"remaining":\d+.*pets,orders\n$/],
  [/key\/rotate/, /^\[\]\[\]$/],
];

describe('what the guide to API keys says, done on a fresh database', () => {
  let workspace: ReadmeWorkspace;
  beforeAll(async () => (workspace = await openReadmeWorkspace()));
  afterAll(async () => expect(await workspace.close()).toBe(0));

  it.each(shellBlocks(readDocument('docs/keys.md')))(
    'works: $commands',
    async ({ commands, answer }) => {
      const output = await workspace.run(commands);
      const [, printed] = PRINTED.find(([command]) => command.test(commands)) ?? [];
      expect([answer, printed].filter((expected) => expected !== undefined)).toHaveLength(1);
      if (printed) expect(output).toMatch(printed);
      if (answer !== undefined) expect(readAnswer(output)).toEqual(readAnswer(answer));
    },
    COMMAND_MILLISECONDS,
  );
});
