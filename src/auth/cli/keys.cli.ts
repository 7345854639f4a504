import { Argument, Option, type Command } from 'commander';
import {
  acceptYes,
  commandGroup,
  countWithin,
  isConfirmed,
  parseDuration,
  parseList,
  getCellText,
  readPages,
  UsageError,
  wholeNumber,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from '#libs/cli';
import { Clock } from '#libs/observability';
import type { ApiKeyChange } from '../commands/change-api-key.command.js';
import type { ApiKeyValues } from '../domain/api-key.decider.js';
import { MANAGE_KEYS } from '../domain/api-key.js';
import { KEY_STATUSES, type ApiKeyView } from '../domain/api-key-view.js';
import { byWindow, LIMIT_NAMES, MAX_LIMIT, pickLimits, PLANS, WINDOWS, type GivenLimits, type Plan } from '../domain/plans.js';
import type { KeyFilter, UsedApiKey } from '../queries/api-keys.query.js';
import type { KeyUsage } from '../queries/key-usage.query.js';
import { daysTable, keyFields, keysTable, scopesTable, usageFields, type KeyWithUsage } from './key-views.js';

const parseKeyId = wholeNumber("ID must be an API key's number in plain digits, such as 7", 1n);

type CreateOptions = ApiKeyValues & GivenLimits & { readonly expiresIn?: number };

interface UpdateOptions {
  readonly name?: string;
  /** False for `--no-owner`. */
  readonly owner?: string | false;
  readonly expiresIn?: number;
  /** False for `--no-expiry`. */
  readonly expiry: boolean;
}

/** Adds `keys create|update|set-plan|add-scope|remove-scope|rotate|revoke|ban|unban`, which print the key, and `keys list|show|usage`. */
export const registerKeysCommands: CommandRegistration = (program, context) => {
  const keys = commandGroup(program, 'keys', 'issue, list and change API keys');
  addCreate(keys, context);
  addUpdates(keys, context);
  addScopeChanges(keys, context);
  addActions(keys, context);
  addReads(keys, context);
};

/** Adds a command about one key. */
function keyCommand(keys: Command, name: string, description: string): Command {
  return keys.command(name).description(description).argument('<id>', "the key's number", parseKeyId);
}

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
    const command = new IssueApiKey({ name, owner, plan, scopes, limits, expiresAt }, { metadata: context.metadata });
    context.print(await context.execute(command), keyFields);
  });
}

function scopesHelp({ scopes }: CliContext): string {
  const defaults = [...scopes].filter(([, { isDefault }]) => isDefault).map(([name]) => name);
  const meanings = [...scopes].map(([name, { description }]) => `${name} for ${description}`);
  return `one or more, separated by commas: ${meanings.join(', ')} (default: ${defaults.join(',')})`;
}

function addLimitOptions(command: Command): Command {
  for (const { name } of WINDOWS) {
    command.option(`--per-${name} <count>`, `requests per ${name}, only for enterprise`, countWithin(`--per-${name}`, 1, MAX_LIMIT));
  }
  return command;
}

async function timeAfter(context: CliContext, milliseconds: number | undefined): Promise<Date | undefined> {
  return milliseconds === undefined ? undefined : new Date((await context.get(Clock)).now().getTime() + milliseconds);
}

function addUpdates(keys: Command, context: CliContext): void {
  keyCommand(keys, 'update', 'change the name, owner or expiry of a key')
    .option('--name <name>', 'purpose of the key, 1 to 255 characters')
    .option('--owner <owner>', 'owner of the key, 1 to 255 characters')
    .option('--no-owner', 'remove the owner')
    .option('--expires-in <duration>', 'validity of the key from now on, such as 90d', parseDuration)
    .option('--no-expiry', 'remove the expiry')
    .action(async (id: bigint, { name, owner, expiresIn, expiry }: UpdateOptions) => {
      const expiresAt = expiry ? await timeAfter(context, expiresIn) : null;
      if (expiresAt) await warnOfLastManagingKey(context, id);
      await change(context, { type: 'update', id, name, owner: owner === false ? null : owner, expiresAt }, 'is so already');
    });
  const setPlan = keyCommand(keys, 'set-plan', 'change the plan of a key').addArgument(new Argument('<plan>', 'new plan').choices(PLANS));
  addLimitOptions(setPlan).action(async (id: bigint, plan: Plan, limits: GivenLimits) => {
    await change(context, { type: 'update', id, plan, limits }, 'is on that plan with those limits already');
  });
}

function addScopeChanges(keys: Command, context: CliContext): void {
  keys
    .command('add-scope')
    .description('add a scope to a key: ID SCOPE, or to all keys with another scope: SCOPE --all-with SCOPE')
    .argument('<words...>', "the key's number and the scope, or only the scope with --all-with")
    .option('--all-with <scope>', 'add the scope to all keys that have this scope and are not revoked')
    .option('--dry-run', 'with --all-with: only print the keys that would get the scope')
    .action(async (words: string[], { allWith, dryRun = false }: { readonly allWith?: string; readonly dryRun?: boolean }) => {
      if (allWith === undefined && words.length === 1) throw new UsageError("missing required argument 'scope'; see --help.");
      if ((allWith === undefined && dryRun) || words.length !== (allWith === undefined ? 2 : 1)) {
        throw new UsageError('add-scope takes ID SCOPE, or SCOPE --all-with SCOPE [--dry-run].');
      }
      const scope = readScope(context, 'scope', words.at(-1) ?? '');
      if (allWith !== undefined) return addScopeToAll(context, scope, readScope(context, 'all-with', allWith), dryRun);
      await change(context, { type: 'add-scope', id: parseKeyId(words[0] ?? ''), scope }, 'has that scope already');
    });
  keyCommand(keys, 'remove-scope', 'remove a scope from a key, except its last one')
    .addArgument(new Argument('<scope>', 'scope to remove').choices([...context.scopes.keys()]))
    .action(async (id: bigint, scope: string) => {
      if (scope === MANAGE_KEYS) await warnOfLastManagingKey(context, id);
      await change(context, { type: 'remove-scope', id, scope }, 'does not have that scope');
    });
}

function readScope(context: CliContext, argument: string, text: string): string {
  const scopes = [...context.scopes.keys()];
  if (scopes.includes(text)) return text;
  throw new UsageError(`'${text}' is invalid for argument '${argument}'. Allowed choices are ${scopes.join(', ')}.`);
}

/** Adds a scope to all keys that have another one, are not revoked and lack it, or only prints them. */
async function addScopeToAll(context: CliContext, scope: string, allWith: string, dryRun: boolean): Promise<void> {
  const { ListKeys } = await import('../queries/api-keys.query.js');
  const { ChangeApiKey } = await import('../commands/change-api-key.command.js');
  const lacks = ({ revokedAt, scopes }: ApiKeyView) => revokedAt === null && scopes.includes(allWith) && !scopes.includes(scope);
  const keys: ApiKeyView[] = [];
  for await (const page of readPages(context, (range) => new ListKeys(range))) {
    for (const key of page.filter(lacks)) {
      const command = new ChangeApiKey({ type: 'add-scope', id: key.id, scope }, { metadata: context.metadata });
      keys.push(dryRun ? key : (await context.execute(command)).apiKey);
    }
  }
  context.print(keys, scopesTable);
  context.note(`${keys.length} of the keys with ${allWith} ${dryRun ? 'lack' : 'got'} ${scope}${dryRun ? '; nothing was changed' : ''}.`);
}

function addActions(keys: Command, context: CliContext): void {
  keyCommand(keys, 'rotate', 'give a key a new token and print it once')
    .option('--grace <duration>', 'how long the old token still works, such as 24h (default: it ends at once)', parseDuration)
    .action(async (id: bigint, { grace }: { readonly grace?: number }) => {
      const { previousKeyValidUntil: end } = await change(context, { type: 'rotate', id, grace });
      context.note(end ? `The previous token works until ${end.toISOString()}.` : 'The previous token has ended.');
    });
  acceptYes(keyCommand(keys, 'revoke', 'revoke a key permanently')).action(async (id: bigint, options: ConfirmationOptions) => {
    await warnOfLastManagingKey(context, id);
    if (!(await isConfirmed(context, options, () => revocationQuestion(context, id)))) return;
    await change(context, { type: 'revoke', id }, 'is revoked already');
  });
  keyCommand(keys, 'ban', 'refuse the requests of a key for a time')
    .requiredOption('--for <duration>', 'duration of the ban, such as 1h', parseDuration)
    .requiredOption('--reason <reason>', 'reason for the owner of the key, 1 to 255 characters')
    .action(async (id: bigint, { for: length, reason }: { readonly for: number; readonly reason: string }) => {
      await warnOfLastManagingKey(context, id);
      await change(context, { type: 'ban', id, seconds: Math.ceil(length / 1_000), reason }, 'is banned for as long already');
    });
  keyCommand(keys, 'unban', 'lift the ban of a key; its next ban is as short as the first one').action(async (id: bigint) => {
    await change(context, { type: 'unban', id });
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

/**
 * Changes a key and prints it.
 * @param already the message for a key that already was in that state, if that is possible
 */
async function change(context: CliContext, asked: ApiKeyChange, already?: string): Promise<ApiKeyView> {
  const { ChangeApiKey } = await import('../commands/change-api-key.command.js');
  const { apiKey, changed, ...secret } = await context.execute(new ChangeApiKey(asked, { metadata: context.metadata }));
  context.print({ ...apiKey, ...secret }, keyFields);
  if (!changed && already !== undefined) context.note(`Nothing was changed: API key ${apiKey.id} ${already}.`);
  return apiKey;
}

function addReads(keys: Command, context: CliContext): void {
  keys
    .command('list')
    .description('print the keys, including revoked ones, with their usage')
    .option('--name <part>', 'only keys with this in the name, in upper or lower case')
    .option('--owner <owner>', 'only keys of exactly this owner')
    .addOption(new Option('--plan <plan>', 'only keys on this plan').choices(PLANS))
    .addOption(new Option('--status <status>', 'only keys with this status').choices(KEY_STATUSES))
    .option(
      '--above <percent>',
      'only keys that have used more than this percentage of their daily limit, such as 80',
      countWithin('--above', 0, 99),
    )
    .action(async ({ above: usedAbove, ...filter }: KeyFilter & { readonly above?: number }) => {
      const { ListKeys } = await import('../queries/api-keys.query.js');
      const found: KeyWithUsage[] = [];
      for await (const page of readPages(context, (range) => new ListKeys({ ...range, ...filter, usedAbove }))) {
        found.push(...(await withUsage(context, page)));
      }
      context.print(found, keysTable);
    });
  keyCommand(keys, 'show', 'print one key with its usage').action(async (id: bigint) => {
    const [key] = await withUsage(context, [await readKey(context, id)]);
    if (key) context.print(key, keyFields);
  });
  keyCommand(keys, 'usage', 'print the usage of a key, at most one second old')
    .option('--days <count>', 'print its requests of the last UTC days instead, at most 400', countWithin('--days', 1, 400))
    .action(async (id: bigint, { days }: { readonly days?: number }) => {
      const { ListDailyUsage } = await import('../queries/key-usage.query.js');
      const key = await readKey(context, id);
      const usage = days === undefined ? (await readUsages(context, [key]))[0] : undefined;
      if (usage) context.print(usage, usageFields);
      if (days !== undefined) context.print((await context.query(new ListDailyUsage([id], days))).get(id) ?? [], daysTable);
    });
}

/** @throws ApplicationError `not_found` if there is no such key */
async function readKey(context: CliContext, id: bigint): Promise<UsedApiKey> {
  const { GetApiKey } = await import('../queries/api-keys.query.js');
  return context.query(new GetApiKey(id));
}

async function readUsages(context: CliContext, keys: readonly UsedApiKey[]): Promise<readonly KeyUsage[]> {
  const { ListKeyUsages } = await import('../queries/key-usage.query.js');
  return context.query(new ListKeyUsages(keys));
}

async function withUsage(context: CliContext, keys: readonly UsedApiKey[]): Promise<KeyWithUsage[]> {
  const usages = await readUsages(context, keys);
  return keys.flatMap((key, index) => {
    const usage = usages[index];
    return usage ? [{ ...key, usage: byWindow(({ name }) => usage[name]), ban: usage.ban }] : [];
  });
}
