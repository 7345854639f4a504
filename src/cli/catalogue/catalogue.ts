import type { EventEmitter } from 'node:events';
import { Argument, Option, type Command } from 'commander';
import { count, parseDuration, recipeOf, wholeNumber, type ParserRecipe } from '#libs/cli-kit';

/** How commands are used, as data: what help and the refusal of mistakes need, and nothing of what they do. */
export interface CataloguedCommand {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly CataloguedValue[];
  readonly options: readonly (CataloguedValue & { readonly required: boolean })[];
  /** What the help says at its end. */
  readonly helpAfter: string;
  readonly commands: readonly CataloguedCommand[];
}

interface CataloguedValue {
  /** As in help: `<id>`, or `--limit <count>`. */
  readonly form: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly defaultText?: string;
  readonly recipe?: ParserRecipe;
}

/** What the command and those below it have of their own. */
export function catalogueOf(command: Command): CataloguedCommand {
  return {
    name: command.name(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({ form: formOf(argument), ...valueOf(argument) })),
    options: command.options.map((option) => ({ form: option.flags, required: option.mandatory, ...valueOf(option) })),
    helpAfter: helpAfter(command),
    commands: command.commands.map(catalogueOf),
  };
}

/** Gives the command all that is in the catalogue; each command calls `act` instead of doing anything. */
export function addCatalogued(command: Command, { commands }: CataloguedCommand, act: () => void): void {
  for (const catalogued of commands) {
    const added = command.command(catalogued.name).description(catalogued.description);
    for (const argument of catalogued.arguments) added.addArgument(withValue(new Argument(argument.form, argument.description), argument));
    for (const option of catalogued.options) {
      added.addOption(withValue(new Option(option.form, option.description), option).makeOptionMandatory(option.required));
    }
    if (catalogued.helpAfter !== '') added.addHelpText('after', catalogued.helpAfter);
    addCatalogued(added, catalogued, act);
    if (catalogued.commands.length === 0) added.action(act);
  }
}

function formOf(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function valueOf({ description, argChoices, parseArg, ...value }: Argument | Option): Omit<CataloguedValue, 'form'> {
  const recipe = parseArg && recipeOf(parseArg as (text: string) => unknown);
  const defaultText = value.defaultValueDescription ?? (value.defaultValue === undefined ? undefined : JSON.stringify(value.defaultValue));
  return {
    description,
    ...(argChoices && { choices: argChoices }),
    ...(defaultText !== undefined && { defaultText }),
    ...(recipe && { recipe }),
  };
}

function withValue<Value extends Argument | Option>(value: Value, { choices, defaultText, recipe }: CataloguedValue): Value {
  if (choices) value.choices(choices);
  if (defaultText !== undefined) value.default(defaultText, defaultText);
  if (recipe) value.argParser(parserOf(recipe));
  return value;
}

/** @throws Error for a recipe that nobody here knows: the library has got a parser that belongs into this list. */
function parserOf([name, ...parameters]: ParserRecipe): (text: string) => unknown {
  const [first = '', second = ''] = parameters;
  if (name === 'count') return count(first);
  if (name === 'duration') return parseDuration;
  if (name === 'whole-number') return wholeNumber(first, BigInt(second));
  throw new Error(`The catalogue of commands knows no parser ${name}.`);
}

function helpAfter(command: Command): string {
  let text = '';
  const write = (part: string) => (text += part);
  // Commander's types leave out that a command is an emitter, which is how it asks for such texts.
  (command as unknown as EventEmitter).emit('afterHelp', { error: false, write, command });
  return text.replace(/\n$/, '');
}
