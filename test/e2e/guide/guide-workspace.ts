import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { keepForFile } from '../../cleanup/close-at-end.js';
import { makeTemporaryFolder } from '../../cleanup/temporary-folder.js';
import { findFreePort } from '../../databases/free-port.fixture.js';
import { copyTree } from '../../generator/tree-copy.fixture.js';
import { launchBuiltService, type LaunchedService } from '../built-service.fixture.js';
import { changed, type GuideStep } from './guide-steps.js';

const execute = promisify(execFile);

const DOCUMENTED_PORT = /\b127\.0\.0\.1:3000\b/g;
const START = /^npm start$/m;

/** A copy of the tree in which the steps of a guide are done, with a database of its own. */
export interface GuideWorkspace {
  /** Does one step; rejects if it cannot be done. @returns what the commands after the last start printed */
  perform(step: GuideStep): Promise<string>;
  /** Runs shell commands in the copy, with the variables that earlier ones have exported. @returns the standard output */
  run(commands: string): Promise<string>;
}

export async function openGuideWorkspace(): Promise<GuideWorkspace> {
  const { root } = await copyTree();
  const folder = makeTemporaryFolder('guide');
  const exported = join(folder, 'environment');
  writeFileSync(exported, '');
  const port = await findFreePort();
  const variables = { DATABASE_URL: `sqlite:${join(folder, 'data', 'adoption.sqlite')}`, PORT: String(port), MANAGEMENT_PORT: '0' };
  let service: LaunchedService | undefined;

  const run = async (commands: string): Promise<string> => {
    const script = `. '${exported}'\n${commands.replaceAll(DOCUMENTED_PORT, `127.0.0.1:${port}`)}\nexport -p > '${exported}'`;
    return (await execute('sh', ['-euc', script], { cwd: root, env: { ...process.env, ...variables, LOG_LEVEL: 'silent' } })).stdout;
  };
  /** Does what `npm start` does, in the background. */
  const restart = async (): Promise<void> => {
    await service?.stop('SIGTERM');
    await run('npm run --silent build');
    service = keepForFile(() => launchBuiltService(root, variables, root));
    await service.listening;
  };
  const perform = async (step: GuideStep): Promise<string> => {
    if (step.kind !== 'run') return writeStep(root, step);
    const [first = '', ...afterStarts] = step.commands.split(START);
    let output = await run(first);
    for (const commands of afterStarts) {
      await restart();
      output = await run(commands);
    }
    return output;
  };
  return { perform, run };
}

function writeStep(root: string, step: Exclude<GuideStep, { kind: 'run' }>): string {
  const path = join(root, step.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, step.kind === 'write' ? step.text : changed(readFileSync(path, 'utf8'), step.difference));
  return '';
}
