import { printableLine, UsageError } from '#libs/cli-kit';
import { exitCodeOf, parseLine } from '../parse-line.js';
import { OutputClosedError, StandardOutput } from '../standard-output.js';
import type { CliIo } from '../cli-io.js';
import { addCatalogued, type CataloguedCommand } from './catalogue.js';

/**
 * Answers a command line for which nothing has to be run: help, the version, a mistake in its use.
 * @returns the exit code; undefined where a command is to be run
 */
export async function judgeUsage(
  words: readonly string[],
  catalogue: CataloguedCommand,
  { stdout, stderr }: Pick<CliIo, 'stdout' | 'stderr'>,
): Promise<number | undefined> {
  const output = new StandardOutput(stdout);
  const line = { acts: false };
  try {
    await parseLine(words, output, {
      register: (program) => {
        addCatalogued(program, catalogue, () => (line.acts = true));
      },
    });
    if (!line.acts) await output.flush();
  } catch (error) {
    if (error instanceof OutputClosedError) return 0;
    stderr.write(`${error instanceof UsageError ? error.message : `This did not work: ${printableLine(String(error))}`}\n`);
    return exitCodeOf(error);
  }
  return line.acts ? undefined : 0;
}
