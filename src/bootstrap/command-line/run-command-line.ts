import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { UsageError } from '#libs/cli';
import { ApplicationError, printableLine } from '#libs/observability';
import * as registrations from '../../commands.js';
import { VERSION } from '../../config/index.js';
import { ApplicationCliContext, type CliIo } from './application-cli-context.js';

const REPLACEMENT_CHARACTER = '\ufffd';

/**
 * Runs one command: writes its result to standard output, an error as one line to standard error.
 * @param words the arguments after the program's name
 * @returns the exit code: 0; 1 if the command failed; 2 for a mistake in the use of the command
 */
export async function runCommandLine(words: readonly string[], io: CliIo): Promise<number> {
  const context = new ApplicationCliContext(io);
  try {
    // The help of these commands lists the scopes.
    if (words.includes('keys')) await context.loadScopes();
    try {
      await runLine(words, context);
    } finally {
      // Results printed before a failure are not lost.
      await context.close();
    }
  } catch (error) {
    if (context.isClosedBy(error)) return 0;
    if (error instanceof UsageError) {
      context.note(error.message);
      return 2;
    }
    const { toErrorLine } = await import('./application.js');
    context.note(toErrorLine(error));
    const isTraced = ['debug', 'trace'].includes(process.env['LOG_LEVEL'] ?? '');
    if (isTraced) io.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
  return context.exitCode;
}

/**
 * Parses a command line and runs its command, or prints the requested help. A group without a command prints its help.
 * @throws UsageError for a mistake in the line itself; whatever a command throws
 */
async function runLine(words: readonly string[], context: ApplicationCliContext): Promise<void> {
  let running: Command | undefined;
  const write = (text: string) => context.write(text);
  const program = createProgram(context, { writeOut: write, writeErr: write, outputError: () => undefined });
  program.hook('preAction', async (_program, command) => {
    const { json, as } = command.optsWithGlobals<{ readonly json?: boolean; readonly as?: string }>();
    running = command;
    await context.prepare({ json: json === true, as });
  });
  assertText(words);
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (running) throw nameOptions(error, running);
    if (error instanceof ApplicationError) throw new UsageError(error.message);
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0 || error.code === 'commander.help') return;
    const mistake = error.message.replace(/^error: /, '').replace(/\.$/, '');
    throw new UsageError(printableLine(`${mistake}; see --help.`));
  }
}

/** @throws UsageError for bytes that are not UTF-8, which Node has replaced by U+FFFD */
function assertText(words: readonly string[]): void {
  const unreadable = words.find((word) => word.includes(REPLACEMENT_CHARACTER));
  if (unreadable !== undefined) throw new UsageError(`"${unreadable}" must be text in UTF-8, but holds U+FFFD or other bytes.`);
}

/** Names the options of a command instead of the members of a request that they stand for, as the rules that both share call them. */
function nameOptions(error: unknown, command: Command): unknown {
  if (!(error instanceof ApplicationError) || error.errors.length === 0) return error;
  let { message } = error;
  for (const option of command.options) {
    const member = option.attributeName();
    // A member of one word, such as `name`, may be a word of the sentence: only the one that the error is about.
    const isWord = !/[A-Z]/.test(member);
    if (isWord && !error.errors.some(({ field }) => field === member)) continue;
    message = message.replace(new RegExp(`(?<![-\\w])(?:\\w+\\.)?${member}(?!\\w)`, isWord ? '' : 'g'), option.long ?? option.flags);
  }
  return new ApplicationError(error, message, { cause: error });
}

/** Creates the program with the commands of all modules. It throws instead of ending the process. */
function createProgram(context: ApplicationCliContext, output: OutputConfiguration): Command {
  const program = new Command('adoption')
    .description('operate the animal adoption service')
    .version(VERSION, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(output);
  for (const register of Object.values(registrations)) register(program, context);
  acceptEverywhere(program);
  return program;
}

/** Creates the program for the documents, which read its commands and run none. */
export async function createDocumentedProgram(): Promise<Command> {
  const { stdin, stdout, stderr } = process;
  const context = new ApplicationCliContext({ loadEnvironment: () => ({}), stdin, stdout, stderr });
  // The descriptions of some options list the scopes.
  await context.loadScopes();
  return createProgram(context, {});
}

/** Adds the options of all commands. */
function acceptEverywhere(command: Command): void {
  command.option('--json', 'print the result as JSON');
  if (command.commands.length === 0) command.option('--as <name>', 'actor to record for a change (default: user@host)');
  for (const subcommand of command.commands) acceptEverywhere(subcommand);
}
