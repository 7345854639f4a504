import { UsageError } from '#libs/cli-kit';
import { registerCommands } from '../composition.js';
import { failureLine } from '../operations/index.js';
import { ApplicationCliContext } from './application-cli-context.js';
import { exitCodeOf, parseLine } from './parse-line.js';
import { ResultPrinter } from './result-printer.js';
import { OutputClosedError, StandardOutput } from './standard-output.js';
import type { CliIo } from './cli-io.js';

/**
 * Runs one command to its end: the result on standard output, a mistake as one line on standard error.
 * @param words what stands after the program's name
 * @returns the exit code: 0; 1 for what a rule or the database refused; 2 for a mistake in how the command is used.
 */
export async function runCommandLine(words: readonly string[], io: CliIo): Promise<number> {
  const { loadEnvironment, stdout, stderr } = io;
  const output = new StandardOutput(stdout);
  const results = new ResultPrinter(output, stdout, loadEnvironment);
  const context = new ApplicationCliContext(results, io);
  try {
    await runToItsEnd(words, output, { context, results });
  } catch (error) {
    if (error instanceof OutputClosedError) return 0;
    context.note(failureLine(error));
    if (wantsStack() && !(error instanceof UsageError)) stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return exitCodeOf(error);
  }
  return context.exitCode;
}

/** What was printed before a failure is flushed too, so that no result is lost with the command that broke off. */
async function runToItsEnd(
  words: readonly string[],
  output: StandardOutput,
  { context, results }: { readonly context: ApplicationCliContext; readonly results: ResultPrinter },
): Promise<void> {
  try {
    await parseLine(words, output, {
      register: (program) => {
        registerCommands(program, context);
      },
      onAction: ({ json }) => {
        results.asksForJson = json;
      },
    });
  } finally {
    await context.close();
    await output.flush();
  }
}

function wantsStack(): boolean {
  return ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '');
}
