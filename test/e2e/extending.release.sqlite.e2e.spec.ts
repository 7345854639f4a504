import { guideSteps, type GuideStep } from './guide/guide-steps.js';
import { openGuideWorkspace, type GuideWorkspace } from './guide/guide-workspace.js';
import { readAnswer } from './readme/readme-answer.js';
import { readDocument } from './readme/readme-text.js';

const [guide = '', removal = ''] = readDocument('docs/develop/modules.md').split('\n## 8. Take it out\n');

/** Each step with its title in a report. */
function titled(document: string): (readonly [title: string, step: GuideStep])[] {
  return guideSteps(document).map((step) => [step.kind === 'run' ? step.commands : `${step.kind} ${step.path}`, step] as const);
}

describe('the guide to a module, run in a copy of the tree', () => {
  let workspace: GuideWorkspace;
  let stoppedAt: string | undefined;
  beforeAll(async () => (workspace = await openGuideWorkspace()));

  /** Each step needs the earlier ones: after a failure the others would fail for the same reason. */
  const works = async (title: string, step: GuideStep): Promise<void> => {
    if (stoppedAt !== undefined) throw new Error(`Skipped because an earlier step failed: ${stoppedAt}`);
    stoppedAt = title;
    const output = await workspace.perform(step);
    if (step.kind === 'run' && step.answer !== undefined) expect(readAnswer(output)).toEqual(readAnswer(step.answer));
    stoppedAt = undefined;
  };

  it.each(titled(guide))('works: %s', works);

  it('leaves nothing for the checks to name', async () => {
    await workspace.run('npx prettier --check src/walks docs && npx eslint --max-warnings 0 src/walks && npm run check:architecture');
  });

  it.each(titled(removal))('takes the module out again: %s', works);

  it('starts without the module, and keeps its events', async () => {
    const commands =
      'npm start\nnpm run --silent cli -- projections prune\nnpm run --silent cli -- events list --type walk-begun --limit 1';
    expect(await workspace.perform({ kind: 'run', commands, answer: undefined })).toContain('walk-begun');
  });

  it('leaves the documents as they were', async () => {
    await workspace.run('node scripts/write-documents.mjs --check');
  });
});
