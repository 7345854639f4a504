import { type Command, CommanderError, type Option } from 'commander';
import { UsageError } from '#libs/cli';
import { ApplicationError, printableLine } from '#libs/observability';
import { ApplicationCliContext, type CliIo } from './application-cli-context.js';
import { findSynonyms, nameOptions } from './near-words.js';
import { createProgram } from './program.js';
import { StandardOutput } from './standard-output.js';

const REPLACEMENT_CHARACTER = '\ufffd';

/**
 * Runs one command: writes its result to standard output, an error as one line to standard error.
 * @param words the arguments after the program's name
 * @returns the exit code: 0; 1 if the command failed; 2 for a mistake in the use of the command
 */
export async function runCommandLine(words: readonly string[], io: CliIo): Promise<number> {
  const output = new StandardOutput(io.stdout);
  const context = new ApplicationCliContext(io, output);
  try {
    // The help of these commands lists the scopes.
    if (words.includes('keys')) await context.loadScopes();
    try {
      await runLine(words, output, context);
    } finally {
      await context.close();
      // Results printed before a failure are not lost.
      await output.flush();
    }
  } catch (error) {
    if (output.isClosedBy(error)) return 0;
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
async function runLine(words: readonly string[], output: StandardOutput, context: ApplicationCliContext): Promise<void> {
  const line: { command?: Command; helpOfGroup: string } = { helpOfGroup: '' };
  const program = createProgram(context, {
    writeOut: (text) => {
      output.write(text);
    },
    writeErr: (text) => (line.helpOfGroup += text),
    outputError: () => undefined,
  });
  const required = takeRequiredOptions(program);
  program.hook('preAction', async (_program, command) => {
    await assertText(command);
    assertRequired(command, required);
    line.command = command;
    const { json, as } = command.optsWithGlobals<{ readonly json?: boolean; readonly as?: string }>();
    await context.prepare({ json: json === true, as });
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (line.command) throw nameOptions(error, line.command);
    if (!(error instanceof CommanderError || error instanceof ApplicationError)) throw error;
    if (error instanceof CommanderError && error.exitCode === 0) return;
    // Commander prints the help of the group for `help nonsense` too.
    const unknown = words.includes('help') ? words[words.indexOf('help') + 1] : undefined;
    if (line.helpOfGroup === '' || unknown !== undefined) {
      throw new UsageError(describeMistake(error, unknown, findSynonyms(program, words)));
    }
    output.write(line.helpOfGroup);
  }
}

function describeMistake(error: CommanderError | ApplicationError, unknown: string | undefined, synonyms: readonly string[]): string {
  if (error instanceof ApplicationError) return printableLine(error.message);
  const mistake = unknown === undefined ? error.message.replace(/^error: /, '').replace(/\.$/, '') : `unknown command '${unknown}'`;
  const isMeant = synonyms.length > 0 && mistake.startsWith('unknown command') && !mistake.includes('Did you mean');
  return printableLine(`${mistake}${isMeant ? ` (Did you mean ${synonyms.join(' or ')}?)` : ''}; see --help.`);
}

/** Makes required options optional and returns them: Commander would report a missing option before an unknown one, perhaps the same mistyped. */
function takeRequiredOptions(command: Command): Set<Option> {
  const own = command.options.filter(({ mandatory }) => mandatory);
  for (const option of own) option.mandatory = false;
  return new Set([...own, ...command.commands.flatMap((subcommand) => [...takeRequiredOptions(subcommand)])]);
}

function assertRequired(command: Command, required: ReadonlySet<Option>): void {
  const missing = command.options.find((option) => required.has(option) && command.getOptionValue(option.attributeName()) === undefined);
  if (missing) throw new CommanderError(2, 'commander.missingMandatoryOptionValue', `required option '${missing.flags}' not specified`);
}

/**
 * Checks that arguments and options are storable text. Node has replaced bytes that are not UTF-8 by U+FFFD.
 * @throws ApplicationError `invalid_parameter` that names the argument or option
 */
async function assertText(command: Command): Promise<void> {
  const { assertStorable } = await import('#libs/http');
  const options = command.options.map((option) => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const);
  const words = command.registeredArguments.map((argument, index) => [argument.name().toUpperCase(), command.args[index]] as const);
  const given = Object.fromEntries<unknown>([...words, ...options]);
  assertStorable(given);
  const isUnreadable = (value: unknown) => typeof value === 'string' && value.includes(REPLACEMENT_CHARACTER);
  const unreadable = Object.entries(given).find(([, value]) => [value].flat().some(isUnreadable));
  if (unreadable) {
    throw new ApplicationError('invalid_parameter', `${unreadable[0]} must be text in UTF-8, but holds U+FFFD or other bytes.`);
  }
}
