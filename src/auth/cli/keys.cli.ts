import { CommandBus, QueryBus, type Command as BusCommand, type Query as BusQuery } from '@nestjs/cqrs';
import type { Command } from 'commander';
import { parseDuration, type CliContext, type CommandRegistration } from '#libs/cli-kit';
import { Clock } from '#libs/clock';
import type { EventMetadata } from '#libs/event-store';
import { ChangeApiKeyScopes } from '../commands/change-api-key-scopes.command.js';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import { RevokeApiKey } from '../commands/revoke-api-key.command.js';
import { RotateApiKey } from '../commands/rotate-api-key.command.js';
import { SetApiKeyPlan } from '../commands/set-api-key-plan.command.js';
import { UnbanApiKey } from '../commands/unban-api-key.command.js';
import { GetApiKey } from '../queries/get-api-key.query.js';
import { ListApiKeys } from '../queries/list-api-keys.query.js';
import { parseCount, parseKeyId, parseList } from './keys.arguments.js';

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

/** The `keys` group of the program, made when it is first asked for, so that each part adds its own commands to it. */
export function keysCommandGroup(program: Command): Command {
  return (
    program.commands.find((command) => command.name() === 'keys') ?? program.command('keys').description('issue, list and change API keys')
  );
}

/** Adds `keys create|list|show|set-plan|add-scope|remove-scope|rotate|revoke|unban`. Every result is printed as JSON. */
export const registerKeysCommands: CommandRegistration = (program, context) => {
  const keys = keysCommandGroup(program);
  addCreate(keys, context);
  addList(keys, context);
  addShow(keys, context);
  addSetPlan(keys, context);
  addScopeChange(keys, context, 'add', 'give a key one more scope');
  addScopeChange(keys, context, 'remove', 'take a scope from a key, but never its last');
  addRotate(keys, context);
  addRevoke(keys, context);
  addUnban(keys, context);
};

function addCreate(keys: Command, context: CliContext): void {
  const create = subcommand(keys, 'create', 'issue a key and print it, this once')
    .requiredOption('--name <name>', 'what the key is for, 1 to 255 characters')
    .option('--plan <plan>', 'free, pro, business or enterprise (default: free)')
    .option('--scopes <scopes>', scopesHelp(context), parseList)
    .option('--expires-in <duration>', 'how long the key lasts, such as 90d (default: for ever)', parseDuration);
  addLimitOptions(create).action(async ({ expiresIn, ...options }: CreateOptions) => {
    const application = await context.application();
    const expiresAt = expiresIn === undefined ? undefined : new Date(application.get(Clock).now().getTime() + expiresIn);
    await printResult(context, new IssueApiKey({ ...options, expiresAt, metadata: METADATA }));
  });
}

function scopesHelp({ scopes }: CliContext): string {
  const defaults = [...scopes].filter(([, { isDefault }]) => isDefault).map(([name]) => name);
  const meanings = [...scopes].map(([name, { description }]) => `${name} for ${description}`);
  return `one or more, separated by commas: ${meanings.join(', ')} (default: ${defaults.join(',')})`;
}

function addList(keys: Command, context: CliContext): void {
  subcommand(keys, 'list', 'print all keys, the revoked ones too').action(() => printAnswer(context, new ListApiKeys()));
}

function addShow(keys: Command, context: CliContext): void {
  subcommand(keys, 'show', 'print one key')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => printAnswer(context, new GetApiKey(id)));
}

function addSetPlan(keys: Command, context: CliContext): void {
  const setPlan = subcommand(keys, 'set-plan', 'put a key on a plan')
    .argument('<id>', "the key's number", parseKeyId)
    .argument('<plan>', 'free, pro, business or enterprise');
  addLimitOptions(setPlan).action((id: bigint, plan: string, { perMinute, perDay }: LimitOptions) =>
    printResult(context, new SetApiKeyPlan({ id, plan, perMinute, perDay, metadata: METADATA })),
  );
}

function addScopeChange(keys: Command, context: CliContext, change: 'add' | 'remove', description: string): void {
  subcommand(keys, `${change}-scope`, description)
    .argument('<id>', "the key's number", parseKeyId)
    .argument('<scope>', `one of ${[...context.scopes.keys()].join(', ')}`)
    .action((id: bigint, scope: string) => printResult(context, new ChangeApiKeyScopes({ id, change, scope, metadata: METADATA })));
}

function addRotate(keys: Command, context: CliContext): void {
  subcommand(keys, 'rotate', 'give a key a new token and print it, this once')
    .argument('<id>', "the key's number", parseKeyId)
    .option('--grace <duration>', 'how long the old token still works, such as 24h (default: it ends at once)', parseDuration)
    .action((id: bigint, { grace }: { grace?: number }) => printResult(context, new RotateApiKey({ id, grace, metadata: METADATA })));
}

function addRevoke(keys: Command, context: CliContext): void {
  subcommand(keys, 'revoke', 'end a key for ever')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => printResult(context, new RevokeApiKey(id, METADATA)));
}

function addUnban(keys: Command, context: CliContext): void {
  subcommand(keys, 'unban', 'lift the ban of a key and start its ladder of bans anew')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => printResult(context, new UnbanApiKey(id, METADATA)));
}

function subcommand(keys: Command, name: string, description: string): Command {
  return keys.command(name).description(description).option('--json', 'print JSON; it always is');
}

function addLimitOptions(command: Command): Command {
  return command
    .option('--per-minute <count>', 'requests a minute, for enterprise alone', parseCount('--per-minute'))
    .option('--per-day <count>', 'requests a day, for enterprise alone', parseCount('--per-day'));
}

async function printResult<Result>(context: CliContext, command: BusCommand<Result>): Promise<void> {
  const application = await context.application();
  context.printJson(await application.get(CommandBus, { strict: false }).execute(command));
}

async function printAnswer<Result>(context: CliContext, query: BusQuery<Result>): Promise<void> {
  const application = await context.application();
  context.printJson(await application.get(QueryBus, { strict: false }).execute(query));
}
