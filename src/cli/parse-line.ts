import { CommanderError } from 'commander';
import { printableLine, UsageError } from '#libs/cli-kit';
import { ApplicationError } from '#libs/errors';
import { createProgram, type GeneralOptions, type Registration } from './program.js';
import type { StandardOutput } from './standard-output.js';

/** What a line can say, and who is told before a command acts. */
export interface LineParts {
  readonly register: Registration;
  readonly onAction?: (options: GeneralOptions) => void;
}

/**
 * Reads a command line and does what it says, or prints the help that it asks for. A group alone asks for its help.
 * @throws UsageError for what is wrong with the line itself; whatever a command throws
 */
export async function parseLine(words: readonly string[], output: StandardOutput, { register, onAction }: LineParts): Promise<void> {
  const line = { acts: false, helpOfGroup: '' };
  const program = createProgram(
    register,
    {
      result: (text) => {
        output.write(text);
      },
      helpOfGroup: (text) => {
        line.helpOfGroup += text;
      },
    },
    (options) => {
      line.acts = true;
      onAction?.(options);
    },
  );
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (line.acts || !(error instanceof CommanderError || error instanceof ApplicationError)) throw error;
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const unknown = unknownInHelp(words);
    if (line.helpOfGroup === '' || unknown !== undefined) throw new UsageError(mistakeIn(error, unknown));
    output.write(line.helpOfGroup);
  }
}

/** The exit code that a failure ends the program with: 2 for a mistake in its use, 1 for all else. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof UsageError ? 2 : 1;
}

/** Commander gives the help of the group for `help nonsense` as it does for the group alone. */
function unknownInHelp(words: readonly string[]): string | undefined {
  const asked = words.indexOf('help');
  return asked === -1 ? undefined : words[asked + 1];
}

function mistakeIn(error: CommanderError | ApplicationError, unknown: string | undefined): string {
  if (error instanceof ApplicationError) return printableLine(error.message);
  const mistake = unknown === undefined ? error.message.replace(/^error: /, '').replace(/\.$/, '') : `unknown command '${unknown}'`;
  return printableLine(`${mistake}; --help tells what is right.`);
}
