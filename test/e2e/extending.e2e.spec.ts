import { guideSteps, type GuideStep } from './guide/guide-steps.js';
import { openGuideWorkspace, type GuideWorkspace } from './guide/guide-workspace.js';
import { readAnswer } from './readme/readme-answer.js';
import { readDocument } from './readme/readme-text.js';

const STEP_MILLISECONDS = 300_000;
const LAST_SECTION = '\n## Take a module out\n';

const [guide = '', removal = ''] = readDocument('docs/extending.md').split(LAST_SECTION);

/** Each step with what it is called in a report. */
function titled(document: string): (readonly [title: string, step: GuideStep])[] {
  return guideSteps(document).map((step) => [step.kind === 'run' ? step.commands : `${step.kind} ${step.path}`, step] as const);
}

describe('what the guide to a module says, done in a copy of the tree', () => {
  let workspace: GuideWorkspace;

  beforeAll(async () => {
    workspace = await openGuideWorkspace();
  });
  afterAll(() => workspace.close());

  const works = async (_title: string, step: GuideStep): Promise<void> => {
    const output = await workspace.perform(step);

    if (step.kind === 'run' && step.answer !== undefined) expect(readAnswer(output)).toEqual(readAnswer(step.answer));
  };

  it.each(titled(guide))('works: %s', works, STEP_MILLISECONDS);

  it(
    'leaves nothing for the checks to name',
    async () => {
      await workspace.run(
        'npm run --silent check:types && npx prettier --check src/shelters docs && npx eslint --max-warnings 0 src/shelters',
      );
    },
    STEP_MILLISECONDS,
  );

  it.each(titled(removal))('takes the module out again: %s', works, STEP_MILLISECONDS);

  it(
    'leaves the documents as they were',
    async () => {
      await workspace.run('node dist/src/write-documents.js --check');
      for (const name of ['docs/openapi.json', 'docs/events.md', 'schema.graphql']) {
        expect(await workspace.run(`cat ${name}`)).toBe(readDocument(name));
      }
    },
    STEP_MILLISECONDS,
  );
});
