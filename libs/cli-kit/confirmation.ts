import type { Command } from 'commander';
import type { CliContext } from './cli-context.js';

/** What a line says of a command that asks. */
export interface ConfirmationOptions {
  readonly yes?: boolean;
}

/** Adds `--yes` to a command whose effect nobody can take back. */
export function acceptYes(command: Command): Command {
  return command.option('-y, --yes', 'do it without asking, which is done where standard input and output are terminals');
}

/**
 * Asks whether such a command shall do what it was told, unless `--yes` was given. Where it shall not, the command has said that nothing was
 * changed and ends with exit code 1.
 * @param question what will be done; undefined where nothing would be changed, or it will be refused. Only called where somebody is asked.
 */
export async function isConfirmed(
  context: CliContext,
  { yes = false }: ConfirmationOptions,
  question: () => Promise<string | undefined>,
): Promise<boolean> {
  if (yes || (await context.confirm(question))) return true;
  context.note('Nothing was changed.');
  context.fail();
  return false;
}
