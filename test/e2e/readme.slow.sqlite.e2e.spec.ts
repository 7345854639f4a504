import { readAnswer } from './readme/readme-answer.js';
import { readDocument, shellBlocks } from './readme/readme-text.js';
import { openReadmeWorkspace, type ReadmeWorkspace } from './readme/readme-workspace.js';

const blocks = shellBlocks(readDocument('README.md'));

describe('the commands of the README', () => {
  let workspace: ReadmeWorkspace | undefined;
  beforeAll(async () => (workspace = await openReadmeWorkspace()));
  afterAll(async () => expect(await workspace?.close()).toBe(0));

  it.each(blocks.filter(({ commands }) => !commands.includes('npm ci')))('work: $commands', async ({ commands, answer }) => {
    const output = await workspace?.run(commands);
    if (answer !== undefined) expect(readAnswer(output ?? '')).toEqual(readAnswer(answer));
  });

  it('include the curl line that the first start printed', async () => {
    expect(JSON.parse((await workspace?.run(workspace.printedCurlLine)) ?? '')).not.toHaveProperty('code');
  });
});
