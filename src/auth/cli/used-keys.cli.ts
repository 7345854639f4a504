import { Option } from 'commander';
import { countWithin, fields, formatRelativeTime, readPages, table, when, type CliContext, type CommandRegistration } from '#libs/cli';
import { apiKeyCells, stateCell } from './key-views.js';
import { KEY_STATUSES, keysCommandGroup, parseKeyId, PLANS } from './keys.cli.js';
import type { Plan } from '../domain/api-key.js';
import type { KeyStatus } from '../domain/api-key-view.js';
import type { UsedApiKey } from '../queries/api-keys.query.js';
import type { KeyUsage, ListKeyUsages, UsageOfDay, WindowUsage } from '../queries/key-usage.query.js';

/** A key with what it has used up of its plan. */
type KeyWithUsage = UsedApiKey & Pick<KeyUsage, 'ban'> & { readonly usage: Pick<KeyUsage, 'minute' | 'day'> };

/** Adds `keys list|show|usage`. */
export const registerUsedKeysCommands: CommandRegistration = (program, context) => {
  const keys = keysCommandGroup(program);
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
    .action((filter: ListOptions) => list(context, filter));
  keys
    .command('show')
    .description('print one key with its usage')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => show(context, id));
  keys
    .command('usage')
    .description('print the usage of a key, at most one second old')
    .argument('<id>', "the key's number", parseKeyId)
    .option('--days <count>', 'print its requests of the last UTC days instead, at most 400', countWithin('--days', 1, 400))
    .action((id: bigint, { days }: { days?: number }) => (days === undefined ? showUsage(context, id) : showDays(context, id, days)));
};

interface ListOptions {
  readonly name?: string;
  readonly owner?: string;
  readonly plan?: Plan;
  readonly status?: KeyStatus;
  readonly above?: number;
}

async function list(context: CliContext, { above: usedAbove, name, owner, plan, status }: ListOptions): Promise<void> {
  const { ListKeys } = await import('../queries/list-keys.query.js');
  const keys: KeyWithUsage[] = [];
  for await (const page of readPages(context, (range) => new ListKeys({ ...range, name, owner, plan, status, usedAbove }))) {
    keys.push(...(await withUsage(context, page)));
  }
  context.print(keys, keysTable);
}

async function showDays(context: CliContext, id: bigint, days: number): Promise<void> {
  const { GetApiKey } = await import('../queries/api-keys.query.js');
  const { ListDailyUsage } = await import('../queries/key-usage.query.js');
  await context.query(new GetApiKey(id));
  context.print((await context.query(new ListDailyUsage([id], days))).get(id) ?? [], daysTable);
}

async function show(context: CliContext, id: bigint): Promise<void> {
  const { GetApiKey } = await import('../queries/api-keys.query.js');
  const [key] = await withUsage(context, [await context.query(new GetApiKey(id))]);
  if (key) context.print(key, keyFields);
}

async function showUsage(context: CliContext, id: bigint): Promise<void> {
  const { GetApiKey } = await import('../queries/api-keys.query.js');
  const [usage] = await readUsages(context, [await context.query(new GetApiKey(id))]);
  if (usage) context.print(usage, usageFields);
}

async function readUsages(context: CliContext, keys: ListKeyUsages['keys']): Promise<readonly KeyUsage[]> {
  const { ListKeyUsages: Usages } = await import('../queries/key-usage.query.js');
  return context.query(new Usages(keys));
}

async function withUsage(context: CliContext, keys: readonly UsedApiKey[]): Promise<KeyWithUsage[]> {
  const usages = new Map((await readUsages(context, keys)).map((usage) => [usage.id, usage]));
  return keys.flatMap((key) => {
    const usage = usages.get(key.id);
    return usage ? [{ ...key, usage: { minute: usage.minute, day: usage.day }, ban: usage.ban }] : [];
  });
}

const daysTable = table<UsageOfDay>('There are no days.', ({ date, requests, refusals }) => ({ date, requests, refusals }));

const keysTable = table<KeyWithUsage>('There is no such API key; "keys create" makes one.', (key) => ({
  id: key.id,
  name: key.name,
  state: stateCell(key),
  day: formatShare(key.usage.day),
  plan: key.plan,
  'last use': key.lastUsedAt && formatRelativeTime(key.lastUsedAt),
  owner: key.owner,
  scopes: key.scopes.join(', '),
  minute: formatShare(key.usage.minute),
  expires: key.expiresAt === null ? 'never' : formatRelativeTime(key.expiresAt),
  key: key.keyStart && `${key.keyStart}…`,
}));

const keyFields = fields<KeyWithUsage>((key) => ({
  ...apiKeyCells(key),
  'last use': when(key.lastUsedAt) ?? 'never',
  ...windowCells(key.usage),
}));

const usageFields = fields<KeyUsage>(({ id, plan, ban, ...windows }) => ({
  id,
  plan,
  ...windowCells(windows),
  banned: ban ? `until ${when(ban.until) ?? ''}, ${ban.reason ?? `step ${ban.step}`}` : 'no',
}));

function windowCells({ minute, day }: Pick<KeyUsage, 'minute' | 'day'>) {
  return {
    'used this minute': `${formatShare(minute)}, resets ${formatRelativeTime(minute.resetsAt)}`,
    'used today': `${formatShare(day)}, resets ${formatRelativeTime(day.resetsAt)}`,
  };
}

function formatShare({ used, limit }: WindowUsage): string {
  return `${used} of ${limit}`;
}
