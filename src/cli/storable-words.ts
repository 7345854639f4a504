import type { Command } from 'commander';
import { ApplicationError } from '#libs/errors';
import { assertStorable } from '#libs/validation';

const REPLACEMENT_CHARACTER = '\ufffd';

/**
 * Holds the arguments and options of a command to the rule for text before it runs. Bytes that are not UTF-8 have become U+FFFD on the
 * way here, so that is refused as well.
 * @throws ApplicationError `invalid_parameter` naming the argument or option.
 */
export function checkWords(command: Command): void {
  const options = command.options.map((option) => [option.long ?? option.flags, command.getOptionValue(option.attributeName())] as const);
  const words = command.registeredArguments.map((argument, index) => [argument.name().toUpperCase(), command.args[index]] as const);
  const given = Object.fromEntries<unknown>([...words, ...options]);
  assertStorable(given, 'invalid_parameter');
  const unreadable = Object.entries(given).find(([, value]) => [value].flat().some(isUnreadable));
  if (unreadable) {
    throw new ApplicationError('invalid_parameter', `${unreadable[0]} must be text in UTF-8, but holds U+FFFD or other bytes.`);
  }
}

function isUnreadable(value: unknown): boolean {
  return typeof value === 'string' && value.includes(REPLACEMENT_CHARACTER);
}
