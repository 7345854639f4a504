import type { Command as BusCommand } from '@nestjs/cqrs';
import { Argument, Option, type Command } from 'commander';
import {
  acceptYes,
  commandGroup,
  count,
  fields,
  isConfirmed,
  parseDuration,
  parseList,
  getCellText,
  toned,
  wholeNumber,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from '#libs/cli';
import { Clock } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import type { ChangedApiKey } from '../commands/change-api-key.command.js';
import { PLANS } from '../domain/api-key.js';
import type { ApiKeyView } from '../queries/api-keys.query.js';
import { apiKeyCells } from './api-key-cells.js';

const METADATA: EventMetadata = { actor: 'cli' };

/** @throws ApplicationError `invalid_parameter` unless the text is a key's id in plain digits. */
export const parseKeyId = wholeNumber("ID must be an API key's number in plain digits, such as 7", 1n);

interface LimitOptions {
  readonly perMinute?: number;
  readonly perDay?: number;
}

interface CreateOptions extends LimitOptions {
  readonly name: string;
  readonly plan?: string;
  readonly scopes?: string[];
  readonly expiresIn?: number;
}

/** Returns the `keys` group of the program, to which other modules add commands too. */
export function keysCommandGroup(program: Command): Command {
  return commandGroup(program, 'keys', 'issue, list and change API keys');
}

/** Adds `keys create|set-plan|add-scope|remove-scope|rotate|revoke|unban`. Each prints the key. */
export const registerKeysCommands: CommandRegistration = (program, context) => {
  const keys = keysCommandGroup(program);
  addCreate(keys, context);
  addSetPlan(keys, context);
  addScopeChange(keys, context, 'add', 'give a key one more scope');
  addScopeChange(keys, context, 'remove', 'take a scope from a key, but never its last');
  addRotate(keys, context);
  addRevoke(keys, context);
  addUnban(keys, context);
};

function addCreate(keys: Command, context: CliContext): void {
  const create = keys
    .command('create')
    .description('issue a key and print it, this once')
    .requiredOption('--name <name>', 'what the key is for, 1 to 255 characters')
    .addOption(new Option('--plan <plan>', 'its plan; free where none is given').choices(PLANS))
    .option('--scopes <scopes>', scopesHelp(context), (text: string) => parseList('--scopes', text, [...context.scopes.keys()]))
    .option('--expires-in <duration>', 'how long the key lasts, such as 90d (default: for ever)', parseDuration);
  addLimitOptions(create).action(async ({ expiresIn, ...options }: CreateOptions) => {
    const { IssueApiKey } = await import('../commands/issue-api-key.command.js');
    const clock = await context.get(Clock);
    const expiresAt = expiresIn === undefined ? undefined : new Date(clock.now().getTime() + expiresIn);
    await printNew(context, new IssueApiKey({ ...options, expiresAt, metadata: METADATA }));
  });
}

function scopesHelp({ scopes }: CliContext): string {
  const defaults = [...scopes].filter(([, { isDefault }]) => isDefault).map(([name]) => name);
  const meanings = [...scopes].map(([name, { description }]) => `${name} for ${description}`);
  return `one or more, separated by commas: ${meanings.join(', ')} (default: ${defaults.join(',')})`;
}

function addSetPlan(keys: Command, context: CliContext): void {
  const setPlan = keys
    .command('set-plan')
    .description('put a key on a plan')
    .argument('<id>', "the key's number", parseKeyId)
    .addArgument(new Argument('<plan>', 'the plan that it gets').choices(PLANS));
  addLimitOptions(setPlan).action(async (id: bigint, plan: string, { perMinute, perDay }: LimitOptions) => {
    const { SetApiKeyPlan } = await import('../commands/change-api-key.command.js');
    const command = new SetApiKeyPlan({ id, plan, perMinute, perDay, metadata: METADATA });
    await printChange(context, command, 'is on that plan with those limits already');
  });
}

function addScopeChange(keys: Command, context: CliContext, change: 'add' | 'remove', description: string): void {
  keys
    .command(`${change}-scope`)
    .description(description)
    .argument('<id>', "the key's number", parseKeyId)
    .addArgument(new Argument('<scope>', 'the scope').choices([...context.scopes.keys()]))
    .action(async (id: bigint, scope: string) => {
      const { ChangeApiKeyScopes } = await import('../commands/change-api-key.command.js');
      const already = change === 'add' ? 'has that scope already' : 'does not have that scope';
      await printChange(context, new ChangeApiKeyScopes({ id, change, scope, metadata: METADATA }), already);
    });
}

function addRotate(keys: Command, context: CliContext): void {
  keys
    .command('rotate')
    .description('give a key a new token and print it, this once')
    .argument('<id>', "the key's number", parseKeyId)
    .option('--grace <duration>', 'how long the old token still works, such as 24h (default: it ends at once)', parseDuration)
    .action(async (id: bigint, { grace }: { grace?: number }) => {
      const { RotateApiKey } = await import('../commands/change-api-key.command.js');
      await printNew(context, new RotateApiKey({ id, grace, metadata: METADATA }));
    });
}

function addRevoke(keys: Command, context: CliContext): void {
  const revoke = keys.command('revoke').description('end a key for ever').argument('<id>', "the key's number", parseKeyId);
  acceptYes(revoke).action(async (id: bigint, options: ConfirmationOptions) => {
    if (!(await isConfirmed(context, options, () => revocationQuestion(context, id)))) return;
    const { RevokeApiKey } = await import('../commands/change-api-key.command.js');
    await printChange(context, new RevokeApiKey(id, METADATA), 'is revoked already');
  });
}

async function revocationQuestion(context: CliContext, id: bigint): Promise<string | undefined> {
  const { GetApiKey } = await import('../queries/api-keys.query.js');
  const { name, revokedAt } = await context.query(new GetApiKey(id));
  return revokedAt === null ? `End API key ${id} (${getCellText(name)}) for ever?` : undefined;
}

function addUnban(keys: Command, context: CliContext): void {
  keys
    .command('unban')
    .description('lift the ban of a key, whose next ban is as short as the first')
    .argument('<id>', "the key's number", parseKeyId)
    .action(async (id: bigint) => {
      const { UnbanApiKey } = await import('../commands/change-api-key.command.js');
      await printChange(context, new UnbanApiKey(id, METADATA));
    });
}

function addLimitOptions(command: Command): Command {
  return command
    .option('--per-minute <count>', 'requests a minute, for enterprise alone', count('--per-minute'))
    .option('--per-day <count>', 'requests a day, for enterprise alone', count('--per-day'));
}

async function printNew(context: CliContext, command: BusCommand<ApiKeyWithSecret>): Promise<void> {
  context.print(await context.execute(command), keyFields);
}

/** @param already said of a key that was so before, if that is possible */
async function printChange(context: CliContext, command: BusCommand<ChangedApiKey>, already?: string): Promise<void> {
  const { apiKey, changed } = await context.execute(command);
  context.print(apiKey, keyFields);
  if (!changed && already !== undefined) context.note(`Nothing was changed: API key ${apiKey.id} ${already}.`);
}

/** A key as it is now, with its secret if that is new. */
type ApiKeyWithSecret = ApiKeyView & { readonly key?: string | null };

const keyFields = fields<ApiKeyWithSecret>((key) => ({
  ...apiKeyCells(key),
  ...(key.key && { 'key, shown this once': toned('strong', key.key) }),
}));
