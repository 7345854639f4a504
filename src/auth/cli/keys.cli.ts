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
  when,
  wholeNumber,
  type Cell,
  type Cells,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from '#libs/cli';
import { Clock } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import type { ApiKeyChange } from '../domain/api-key.decider.js';
import { PLANS } from '../domain/api-key.js';
import type { ApiKeyView } from '../queries/api-keys.query.js';

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
  addScopeChange(keys, context, 'add-scope', 'add a scope to a key');
  addScopeChange(keys, context, 'remove-scope', 'remove a scope from a key, except its last one');
  addRotate(keys, context);
  addRevoke(keys, context);
  addUnban(keys, context);
};

function addCreate(keys: Command, context: CliContext): void {
  const create = keys
    .command('create')
    .description('issue a key and print it once')
    .requiredOption('--name <name>', 'what the key is for, 1 to 255 characters')
    .addOption(new Option('--plan <plan>', 'its plan (default: free)').choices(PLANS))
    .option('--scopes <scopes>', scopesHelp(context), (text: string) => parseList('--scopes', text, [...context.scopes.keys()]))
    .option('--expires-in <duration>', 'how long the key is valid, such as 90d (default: no expiry)', parseDuration);
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
    .addArgument(new Argument('<plan>', 'its new plan').choices(PLANS));
  addLimitOptions(setPlan).action(async (id: bigint, plan: string, { perMinute, perDay }: LimitOptions) => {
    await change(context, { type: 'change-plan', id, plan, perMinute, perDay }, 'is on that plan with those limits already');
  });
}

function addScopeChange(keys: Command, context: CliContext, type: 'add-scope' | 'remove-scope', description: string): void {
  keys
    .command(type)
    .description(description)
    .argument('<id>', "the key's number", parseKeyId)
    .addArgument(new Argument('<scope>', 'the scope').choices([...context.scopes.keys()]))
    .action((id: bigint, scope: string) =>
      change(context, { type, id, scope }, type === 'add-scope' ? 'has that scope already' : 'does not have that scope'),
    );
}

function addRotate(keys: Command, context: CliContext): void {
  keys
    .command('rotate')
    .description('give a key a new token and print it once')
    .argument('<id>', "the key's number", parseKeyId)
    .option('--grace <duration>', 'how long the old token still works, such as 24h (default: it ends at once)', parseDuration)
    .action(async (id: bigint, { grace }: { grace?: number }) => {
      const { RotateApiKey } = await import('../commands/change-api-key.command.js');
      await printNew(context, new RotateApiKey({ id, grace, metadata: METADATA }));
    });
}

function addRevoke(keys: Command, context: CliContext): void {
  const revoke = keys.command('revoke').description('revoke a key permanently').argument('<id>', "the key's number", parseKeyId);
  acceptYes(revoke).action(async (id: bigint, options: ConfirmationOptions) => {
    if (!(await isConfirmed(context, options, () => revocationQuestion(context, id)))) return;
    await change(context, { type: 'revoke', id }, 'is revoked already');
  });
}

async function revocationQuestion(context: CliContext, id: bigint): Promise<string | undefined> {
  const { GetApiKey } = await import('../queries/api-keys.query.js');
  const { name, revokedAt } = await context.query(new GetApiKey(id));
  return revokedAt === null ? `Revoke API key ${id} (${getCellText(name)}) permanently?` : undefined;
}

function addUnban(keys: Command, context: CliContext): void {
  keys
    .command('unban')
    .description('lift the ban of a key; its next ban is as short as the first one')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => change(context, { type: 'unban', id }));
}

function addLimitOptions(command: Command): Command {
  return command
    .option('--per-minute <count>', 'requests per minute, only for enterprise', count('--per-minute'))
    .option('--per-day <count>', 'requests per day, only for enterprise', count('--per-day'));
}

async function printNew(context: CliContext, command: BusCommand<ApiKeyWithSecret>): Promise<void> {
  context.print(await context.execute(command), keyFields);
}

/** @param already what is said of a key that was so before, if that is possible */
async function change(context: CliContext, asked: ApiKeyChange, already?: string): Promise<void> {
  const { ChangeApiKey } = await import('../commands/change-api-key.command.js');
  const { apiKey, changed } = await context.execute(new ChangeApiKey(asked, METADATA));
  context.print(apiKey, keyFields);
  if (!changed && already !== undefined) context.note(`Nothing was changed: API key ${apiKey.id} ${already}.`);
}

/** A key as it is now, with its secret if that is new. */
type ApiKeyWithSecret = ApiKeyView & { readonly key?: string | null };

const keyFields = fields<ApiKeyWithSecret>((key) => ({
  ...apiKeyCells(key),
  ...(key.key && { 'key, shown this once': toned('strong', key.key) }),
}));

/** What people see of one API key. */
export function apiKeyCells(key: ApiKeyView): Cells {
  const { id, name, keyStart, plan, limits, scopes, createdAt, expiresAt, rotatedAt, previousKeyValidUntil } = key;
  return {
    id,
    name,
    'key begins with': keyStart,
    state: stateCell(key),
    plan,
    limits: `${limits.perMinute} a minute, ${limits.perDay} a day`,
    scopes: scopes.join(', '),
    created: when(createdAt),
    expires: when(expiresAt) ?? 'never',
    rotated: when(rotatedAt),
    'previous key works until': when(previousKeyValidUntil),
  };
}

/** Whether a key can be used, and if not, why. */
export function stateCell({ revokedAt, expiresAt, lastBan }: ApiKeyView): Cell {
  const now = Date.now();
  if (revokedAt !== null) return toned('quiet', `revoked ${when(revokedAt) ?? ''}`);
  if (expiresAt !== null && expiresAt.getTime() <= now) return toned('quiet', 'expired');
  if (lastBan && lastBan.until.getTime() > now) return toned('bad', `banned until ${when(lastBan.until) ?? ''}`);
  return toned('good', 'in use');
}
