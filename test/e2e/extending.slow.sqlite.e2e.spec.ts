import { guideSteps, type GuideStep } from './guide/guide-steps.js';
import { openGuideWorkspace, type GuideWorkspace } from './guide/guide-workspace.js';
import { readAnswer } from './readme/readme-answer.js';
import { readDocument } from './readme/readme-text.js';

const STEP_MILLISECONDS = 300_000;
const DOCUMENTS = [
  ...['.env.example', 'docs/configuration.md', 'docs/command-line.md', 'docs/openapi.json', 'docs/events.md', 'docs/projections.json'],
  'schema.graphql',
];
const LAST_SECTION = '\n## Take a module out\n';

const [guide = '', removal = ''] = readDocument('docs/extending.md').split(LAST_SECTION);
const recipes = readDocument('docs/module-recipes.md');

/** Each step with its title in a report. */
function titled(document: string): (readonly [title: string, step: GuideStep])[] {
  return guideSteps(document).map((step) => [step.kind === 'run' ? step.commands : `${step.kind} ${step.path}`, step] as const);
}

describe('the guide to a module and its recipes, run in a copy of the tree', () => {
  let workspace: GuideWorkspace;
  let stoppedAt: string | undefined;

  beforeAll(async () => {
    workspace = await openGuideWorkspace();
  });
  afterAll(() => workspace.close());

  /** Each step needs the earlier ones: after a failure the others would fail for the same reason. */
  const works = async (title: string, step: GuideStep): Promise<void> => {
    if (stoppedAt !== undefined) throw new Error(`Skipped because an earlier step failed: ${stoppedAt}`);
    stoppedAt = title;
    const output = await workspace.perform(step);

    if (step.kind === 'run' && step.answer !== undefined) expect(readAnswer(output)).toEqual(readAnswer(step.answer));
    stoppedAt = undefined;
  };

  it.each(titled(guide))('works: %s', works, STEP_MILLISECONDS);

  it.each(titled(recipes))('continues with: %s', works, STEP_MILLISECONDS);

  it(
    'leaves nothing for the checks to name',
    async () => {
      await workspace.run('npx prettier --check src/walks docs && npx eslint --max-warnings 0 src/walks && npm run check:architecture');
    },
    STEP_MILLISECONDS,
  );

  it.each(titled(removal))('takes the module out again: %s', works, STEP_MILLISECONDS);

  it(
    'leaves the documents as they were',
    async () => {
      await workspace.run('node dist/src/bootstrap/write-documents.js --check');
      for (const name of DOCUMENTS) {
        expect(await workspace.run(`cat ${name}`)).toBe(readDocument(name));
      }
    },
    STEP_MILLISECONDS,
  );
});
