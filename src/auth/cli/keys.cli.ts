import { CommandBus, QueryBus, type Command as BusCommand } from '@nestjs/cqrs';
import { Argument, Option, type Command } from 'commander';
import {
  acceptYes,
  count,
  fields,
  isConfirmed,
  parseDuration,
  parseList,
  textOf,
  toned,
  when,
  wholeNumber,
  type Cell,
  type Cells,
  type CliContext,
  type CommandRegistration,
  type ConfirmationOptions,
} from '#libs/cli-kit';
import { Clock } from '#libs/clock';
import type { EventMetadata } from '#libs/event-store';
import {
  ChangeApiKeyScopes,
  RevokeApiKey,
  RotateApiKey,
  SetApiKeyPlan,
  UnbanApiKey,
  type ChangedApiKey,
} from '../commands/change-api-key.command.js';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import { PLANS } from '../domain/plan.js';
import { GetApiKey, type ApiKeyView } from '../queries/api-keys.query.js';

const METADATA: EventMetadata = { actor: 'cli' };

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

/** @throws ApplicationError `invalid_parameter` unless the text is a key's id in plain digits */
export const parseKeyId = wholeNumber("ID must be an API key's number in plain digits, such as 7", 1n);

/** Returns the `keys` group of the program, which the first call adds: several modules add commands to it. */
export function keysCommandGroup(program: Command): Command {
  return (
    program.commands.find((command) => command.name() === 'keys') ?? program.command('keys').description('issue, list and change API keys')
  );
}

/** Adds `keys create|set-plan|add-scope|remove-scope|rotate|revoke|unban`, each of which prints the key. */
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
    const application = await context.application();
    const expiresAt = expiresIn === undefined ? undefined : new Date(application.get(Clock).now().getTime() + expiresIn);
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
  addLimitOptions(setPlan).action((id: bigint, plan: string, { perMinute, perDay }: LimitOptions) =>
    printChange(
      context,
      new SetApiKeyPlan({ id, plan, perMinute, perDay, metadata: METADATA }),
      'is on that plan with those limits already',
    ),
  );
}

function addScopeChange(keys: Command, context: CliContext, change: 'add' | 'remove', description: string): void {
  keys
    .command(`${change}-scope`)
    .description(description)
    .argument('<id>', "the key's number", parseKeyId)
    .addArgument(new Argument('<scope>', 'the scope').choices([...context.scopes.keys()]))
    .action((id: bigint, scope: string) => {
      const already = change === 'add' ? 'has that scope already' : 'does not have that scope';
      return printChange(context, new ChangeApiKeyScopes({ id, change, scope, metadata: METADATA }), already);
    });
}

function addRotate(keys: Command, context: CliContext): void {
  keys
    .command('rotate')
    .description('give a key a new token and print it, this once')
    .argument('<id>', "the key's number", parseKeyId)
    .option('--grace <duration>', 'how long the old token still works, such as 24h (default: it ends at once)', parseDuration)
    .action((id: bigint, { grace }: { grace?: number }) => printNew(context, new RotateApiKey({ id, grace, metadata: METADATA })));
}

function addRevoke(keys: Command, context: CliContext): void {
  const revoke = keys.command('revoke').description('end a key for ever').argument('<id>', "the key's number", parseKeyId);
  acceptYes(revoke).action(async (id: bigint, options: ConfirmationOptions) => {
    if (!(await isConfirmed(context, options, () => revocationQuestion(context, id)))) return;
    await printChange(context, new RevokeApiKey(id, METADATA), 'is revoked already');
  });
}

async function revocationQuestion(context: CliContext, id: bigint): Promise<string | undefined> {
  const application = await context.application();
  const { name, revokedAt } = await application.get(QueryBus, { strict: false }).execute(new GetApiKey(id));
  return revokedAt === null ? `End API key ${id} (${textOf(name)}) for ever?` : undefined;
}

function addUnban(keys: Command, context: CliContext): void {
  keys
    .command('unban')
    .description('lift the ban of a key and start its ladder of bans anew')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => printChange(context, new UnbanApiKey(id, METADATA)));
}

function addLimitOptions(command: Command): Command {
  return command
    .option('--per-minute <count>', 'requests a minute, for enterprise alone', count('--per-minute'))
    .option('--per-day <count>', 'requests a day, for enterprise alone', count('--per-day'));
}

async function printNew(context: CliContext, command: BusCommand<ApiKeyWithSecret>): Promise<void> {
  const application = await context.application();
  context.print(await application.get(CommandBus, { strict: false }).execute(command), keyFields);
}

/** @param already what to say of a key that needed no change */
async function printChange(context: CliContext, command: BusCommand<ChangedApiKey>, already?: string): Promise<void> {
  const application = await context.application();
  const { apiKey, changed } = await application.get(CommandBus, { strict: false }).execute(command);
  context.print(apiKey, keyFields);
  if (!changed && already !== undefined) context.note(`Nothing was changed: API key ${apiKey.id} ${already}.`);
}

/** A key, and its token if that is new. */
type ApiKeyWithSecret = ApiKeyView & { readonly key?: string | null };

const keyFields = fields<ApiKeyWithSecret>((key) => ({
  ...apiKeyCells(key),
  ...(key.key && { 'key, shown this once': toned('strong', key.key) }),
}));

/** Cells that show one API key to people. */
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

/** Whether a key can be used, and why not. */
export function stateCell({ revokedAt, expiresAt, lastBan }: ApiKeyView): Cell {
  const now = Date.now();
  if (revokedAt !== null) return toned('quiet', `revoked ${when(revokedAt) ?? ''}`);
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return toned('quiet', 'expired');
  if (lastBan && Date.parse(lastBan.until) > now) return toned('bad', `banned until ${when(lastBan.until) ?? ''}`);
  return toned('good', 'in use');
}
