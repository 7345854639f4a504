import type { Command as BusCommand } from '@nestjs/cqrs';
import { Argument, Option, type Command } from 'commander';
import {
  acceptYes,
  commandGroup,
  countWithin,
  isConfirmed,
  parseDuration,
  parseList,
  getCellText,
  UsageError,
  wholeNumber,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from '#libs/cli';
import type { Unchecked } from '#libs/http';
import { Clock } from '#libs/observability';
import type { ApiKeyChange } from '../commands/change-api-key.command.js';
import type { ChangedApiKey } from '../commands/key-decisions.js';
import type { ApiKeyValues } from '../commands/key-values.rule.js';
import { MANAGE_KEYS } from '../domain/acting-key.js';
import type { ApiKeyView } from '../domain/api-key-view.js';
import { LIMIT_NAMES, MAX_LIMIT, pickLimits, PLANS, WINDOWS, type GivenLimits, type Plan } from '../domain/plans.js';
import type { UsedApiKey } from '../queries/api-keys.query.js';
import { addScopeToAll } from './add-scope-to-all.js';
import { keyFields, type ApiKeyWithSecret } from './key-views.js';

/** @throws ApplicationError `invalid_parameter` unless the text is a key's id in plain digits. */
export const parseKeyId = wholeNumber("ID must be an API key's number in plain digits, such as 7", 1n);

interface CreateOptions extends GivenLimits {
  readonly name: string;
  readonly owner?: string;
  readonly plan?: Plan;
  readonly scopes?: string[];
  readonly expiresIn?: number;
}

interface UpdateOptions {
  readonly name?: string;
  /** False for `--no-owner`. */
  readonly owner?: string | false;
  readonly expiresIn?: number;
  /** False for `--no-expiry`. */
  readonly expiry: boolean;
}

interface BanOptions {
  readonly for: number;
  readonly reason: string;
}

interface ScopeOptions {
  readonly allWith?: string;
  readonly dryRun?: boolean;
}

/** Returns the `keys` group of the program, to which other modules add commands too. */
export function keysCommandGroup(program: Command): Command {
  return commandGroup(program, 'keys', 'issue, list and change API keys');
}

/** Adds a command about one key. */
export function keyCommand(keys: Command, name: string, description: string): Command {
  return keys.command(name).description(description).argument('<id>', "the key's number", parseKeyId);
}

/** @throws ApplicationError `not_found` if there is no such key */
export async function readKey(context: CliContext, id: bigint): Promise<UsedApiKey> {
  const { GetApiKey } = await import('../queries/api-keys.query.js');
  return context.query(new GetApiKey(id));
}

/** Adds `keys create|update|set-plan|add-scope|remove-scope|rotate|revoke|ban|unban`. Each prints the key. */
export const registerKeysCommands: CommandRegistration = (program, context) => {
  const keys = keysCommandGroup(program);
  addCreate(keys, context);
  addUpdate(keys, context);
  addSetPlan(keys, context);
  addAddScope(keys, context);
  addRemoveScope(keys, context);
  addRotate(keys, context);
  addRevoke(keys, context);
  addBan(keys, context);
  addUnban(keys, context);
};

function addCreate(keys: Command, context: CliContext): void {
  const create = keys
    .command('create')
    .description('issue a key and print it once')
    .requiredOption('--name <name>', 'purpose of the key, 1 to 255 characters')
    .option('--owner <owner>', 'owner of the key, 1 to 255 characters')
    .addOption(new Option('--plan <plan>', 'plan of the key (default: free)').choices(PLANS))
    .option('--scopes <scopes>', scopesHelp(context), (text: string) => parseList('--scopes', text, [...context.scopes.keys()]))
    .option('--expires-in <duration>', 'validity of the key, such as 90d (default: no expiry)', parseDuration);
  addLimitOptions(create).action(async ({ name, owner, plan, scopes, expiresIn, ...limitOptions }: CreateOptions) => {
    const { IssueApiKey } = await import('../commands/issue-api-key.command.js');
    const given = LIMIT_NAMES.filter((limit) => limitOptions[limit] !== undefined);
    if (given.length !== 0 && given.length !== LIMIT_NAMES.length) {
      const options = WINDOWS.map((window) => `--per-${window.name}`).join(' and ');
      throw new UsageError(`${options} go together, and only with the plan enterprise.`);
    }
    const limits = given.length === 0 ? undefined : pickLimits(limitOptions);
    const expiresAt = await timeAfter(context, expiresIn);
    await printNew(context, new IssueApiKey({ name, owner, plan, scopes, limits, expiresAt }, { metadata: context.metadata }));
  });
}

async function timeAfter(context: CliContext, milliseconds: number | undefined): Promise<Date | undefined> {
  return milliseconds === undefined ? undefined : new Date((await context.get(Clock)).now().getTime() + milliseconds);
}

function addUpdate(keys: Command, context: CliContext): void {
  keyCommand(keys, 'update', 'change the name, owner or expiry of a key')
    .option('--name <name>', 'purpose of the key, 1 to 255 characters')
    .option('--owner <owner>', 'owner of the key, 1 to 255 characters')
    .option('--no-owner', 'remove the owner')
    .option('--expires-in <duration>', 'validity of the key from now on, such as 90d', parseDuration)
    .option('--no-expiry', 'remove the expiry')
    .action(async (id: bigint, { name, owner, expiresIn, expiry }: UpdateOptions) => {
      const expiresAt = expiry ? await timeAfter(context, expiresIn) : null;
      if (expiresAt) await warnOfLastManagingKey(context, id);
      await update(context, id, { name, owner: owner === false ? null : owner, expiresAt }, 'is so already');
    });
}

function scopesHelp({ scopes }: CliContext): string {
  const defaults = [...scopes].filter(([, { isDefault }]) => isDefault).map(([name]) => name);
  const meanings = [...scopes].map(([name, { description }]) => `${name} for ${description}`);
  return `one or more, separated by commas: ${meanings.join(', ')} (default: ${defaults.join(',')})`;
}

function addSetPlan(keys: Command, context: CliContext): void {
  const setPlan = keyCommand(keys, 'set-plan', 'change the plan of a key').addArgument(new Argument('<plan>', 'new plan').choices(PLANS));
  addLimitOptions(setPlan).action((id: bigint, plan: Plan, limits: GivenLimits) =>
    update(context, id, { plan, limits }, 'is on that plan with those limits already'),
  );
}

function addAddScope(keys: Command, context: CliContext): void {
  keys
    .command('add-scope')
    .description('add a scope to a key: ID SCOPE, or to all keys with another scope: SCOPE --all-with SCOPE')
    .argument('<words...>', "the key's number and the scope, or only the scope with --all-with")
    .option('--all-with <scope>', 'add the scope to all keys that have this scope and are not revoked')
    .option('--dry-run', 'with --all-with: only print the keys that would get the scope')
    .action(async (words: string[], { allWith, dryRun = false }: ScopeOptions) => {
      if (allWith === undefined && words.length === 1) throw new UsageError("missing required argument 'scope'; see --help.");
      if ((allWith === undefined && dryRun) || words.length !== (allWith === undefined ? 2 : 1)) {
        throw new UsageError('add-scope takes ID SCOPE, or SCOPE --all-with SCOPE [--dry-run].');
      }
      const scope = readScope(context, 'scope', words.at(-1) ?? '');
      if (allWith !== undefined) return addScopeToAll(context, { scope, allWith: readScope(context, 'all-with', allWith), dryRun });
      return change(context, { type: 'add-scope', id: parseKeyId(words[0] ?? ''), scope }, 'has that scope already');
    });
}

function readScope(context: CliContext, argument: string, text: string): string {
  const scopes = [...context.scopes.keys()];
  if (scopes.includes(text)) return text;
  throw new UsageError(`'${text}' is invalid for argument '${argument}'. Allowed choices are ${scopes.join(', ')}.`);
}

function addRemoveScope(keys: Command, context: CliContext): void {
  keyCommand(keys, 'remove-scope', 'remove a scope from a key, except its last one')
    .addArgument(new Argument('<scope>', 'scope to remove').choices([...context.scopes.keys()]))
    .action(async (id: bigint, scope: string) => {
      if (scope === MANAGE_KEYS) await warnOfLastManagingKey(context, id);
      await change(context, { type: 'remove-scope', id, scope }, 'does not have that scope');
    });
}

function addRotate(keys: Command, context: CliContext): void {
  keyCommand(keys, 'rotate', 'give a key a new token and print it once')
    .option('--grace <duration>', 'how long the old token still works, such as 24h (default: it ends at once)', parseDuration)
    .action(async (id: bigint, { grace }: { grace?: number }) => {
      const { RotateApiKey } = await import('../commands/rotate-api-key.command.js');
      const { previousKeyValidUntil: end } = await printNew(context, new RotateApiKey({ id, grace, metadata: context.metadata }));
      context.note(end ? `The previous token works until ${end.toISOString()}.` : 'The previous token has ended.');
    });
}

function addRevoke(keys: Command, context: CliContext): void {
  acceptYes(keyCommand(keys, 'revoke', 'revoke a key permanently')).action(async (id: bigint, options: ConfirmationOptions) => {
    await warnOfLastManagingKey(context, id);
    if (!(await isConfirmed(context, options, () => revocationQuestion(context, id)))) return;
    await change(context, { type: 'revoke', id }, 'is revoked already');
  });
}

/** Says before a key is ended or weakened that no API key could manage keys without it, which the API refuses. */
async function warnOfLastManagingKey(context: CliContext, id: bigint): Promise<void> {
  const { KeyDecisions } = await import('../commands/key-decisions.js');
  if (!(await (await context.get(KeyDecisions)).isLastManagingKey(id))) return;
  context.note(`API key ${id} is the last one that can manage keys (scope ${MANAGE_KEYS}). Without it, only the command line can.`);
}

async function revocationQuestion(context: CliContext, id: bigint): Promise<string | undefined> {
  const { name, revokedAt } = await readKey(context, id);
  return revokedAt === null ? `Revoke API key ${id} (${getCellText(name)}) permanently?` : undefined;
}

function addBan(keys: Command, context: CliContext): void {
  keyCommand(keys, 'ban', 'refuse the requests of a key for a time')
    .requiredOption('--for <duration>', 'duration of the ban, such as 1h', parseDuration)
    .requiredOption('--reason <reason>', 'reason for the owner of the key, 1 to 255 characters')
    .action(async (id: bigint, { for: length, reason }: BanOptions) => {
      const { ImposeBan } = await import('../commands/change-api-key.command.js');
      await warnOfLastManagingKey(context, id);
      const command = new ImposeBan(id, { seconds: Math.ceil(length / 1_000), reason }, { metadata: context.metadata });
      printChanged(context, await context.execute(command), 'is banned for as long already');
    });
}

function addUnban(keys: Command, context: CliContext): void {
  keyCommand(keys, 'unban', 'lift the ban of a key; its next ban is as short as the first one').action((id: bigint) =>
    change(context, { type: 'unban', id }),
  );
}

function addLimitOptions(command: Command): Command {
  for (const { name } of WINDOWS) {
    command.option(`--per-${name} <count>`, `requests per ${name}, only for enterprise`, countWithin(`--per-${name}`, 1, MAX_LIMIT));
  }
  return command;
}

async function printNew(context: CliContext, command: BusCommand<ApiKeyWithSecret>): Promise<ApiKeyView> {
  const key = await context.execute(command);
  context.print(key, keyFields);
  return key;
}

/** @param already the message for a key that is so already */
async function update(context: CliContext, id: bigint, values: Unchecked<ApiKeyValues>, already: string): Promise<void> {
  const { UpdateApiKey } = await import('../commands/change-api-key.command.js');
  printChanged(context, await context.execute(new UpdateApiKey(id, values, { metadata: context.metadata })), already);
}

/** @param already the message for a key that already was in that state, if that is possible */
async function change(context: CliContext, asked: ApiKeyChange, already?: string): Promise<void> {
  const { ChangeApiKey } = await import('../commands/change-api-key.command.js');
  printChanged(context, await context.execute(new ChangeApiKey(asked, { metadata: context.metadata })), already);
}

function printChanged(context: CliContext, { apiKey, changed }: ChangedApiKey, already?: string): void {
  context.print(apiKey, keyFields);
  if (!changed && already !== undefined) context.note(`Nothing was changed: API key ${apiKey.id} ${already}.`);
}
