import { CommanderError } from 'commander';
import { ApplicationCliContext } from './application-cli-context.js';
import { failureLine } from './failure-line.js';
import { createProgram } from './program.js';
import { OutputClosedError, StandardOutput } from './standard-output.js';

/**
 * Runs one command to its end: the result on standard output, a mistake as one line on standard error.
 * @param words what stands after the program's name
 * @returns the exit code, 0 or 1.
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const output = new StandardOutput(process.stdout);
  const context = new ApplicationCliContext(output);
  try {
    await runProgram(context, output, words);
  } catch (error) {
    if (error instanceof OutputClosedError) return 0;
    context.note(failureLine(error));
    if (wantsStack()) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
  return context.exitCode;
}

/** What was printed before a failure is flushed too, so that no result is lost with the command that broke off. */
async function runProgram(context: ApplicationCliContext, output: StandardOutput, words: readonly string[]): Promise<void> {
  try {
    await createProgram(context, output).parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  } finally {
    await context.close();
    await output.flush();
  }
}

function wantsStack(): boolean {
  return ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '');
}
