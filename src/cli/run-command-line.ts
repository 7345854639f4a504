import { CommanderError } from 'commander';
import { ApplicationCliContext } from './application-cli-context.js';
import { failureLine } from '../operations/index.js';
import { createProgram } from './program.js';
import { OutputClosedError, StandardOutput } from './standard-output.js';

/** What a command line reads its configuration from and writes to. */
export interface Surroundings {
  /** The environment variables, read when a command first needs its configuration. */
  readonly loadEnvironment: () => Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/**
 * Runs one command to its end: the result on standard output, a mistake as one line on standard error.
 * @param words what stands after the program's name
 * @returns the exit code, 0 or 1.
 */
export async function runCommandLine(words: readonly string[], { loadEnvironment, stdout, stderr }: Surroundings): Promise<number> {
  const output = new StandardOutput(stdout);
  const context = new ApplicationCliContext(output, stderr, loadEnvironment);
  try {
    await runProgram(context, output, words);
  } catch (error) {
    if (error instanceof OutputClosedError) return 0;
    context.note(failureLine(error));
    if (wantsStack()) stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
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
