import { Option } from 'commander';
import { countWithin, fields, formatRelativeTime, readPages, table, when, type CliContext, type CommandRegistration } from '#libs/cli';
import { apiKeyCells, stateCell } from './key-views.js';
import { keyCommand, keysCommandGroup, readKey } from './keys.cli.js';
import { KEY_STATUSES, type KeyStatus } from '../domain/api-key-view.js';
import { byWindow, describePresent, PLANS, WINDOWS, type Plan, type WindowName } from '../domain/plans.js';
import type { UsedApiKey } from '../queries/api-keys.query.js';
import type { KeyUsage, UsageOfDay, WindowUsage, WindowUsages } from '../queries/key-usage.query.js';

/** A key with what it has used up of its plan. */
type KeyWithUsage = UsedApiKey & Pick<KeyUsage, 'ban'> & { readonly usage: WindowUsages };

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
  keyCommand(keys, 'show', 'print one key with its usage').action((id: bigint) => show(context, id));
  keyCommand(keys, 'usage', 'print the usage of a key, at most one second old')
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
  await readKey(context, id);
  const { ListDailyUsage } = await import('../queries/key-usage.query.js');
  context.print((await context.query(new ListDailyUsage([id], days))).get(id) ?? [], daysTable);
}

async function show(context: CliContext, id: bigint): Promise<void> {
  const [key] = await withUsage(context, [await readKey(context, id)]);
  if (key) context.print(key, keyFields);
}

async function showUsage(context: CliContext, id: bigint): Promise<void> {
  const [usage] = await readUsages(context, [await readKey(context, id)]);
  if (usage) context.print(usage, usageFields);
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

const daysTable = table<UsageOfDay>('There are no days.', ({ date, requests, refusals }) => ({ date, requests, refusals }));

const keysTable = table<KeyWithUsage>('There is no such API key; "keys create" makes one.', (key) => ({
  id: key.id,
  name: key.name,
  state: stateCell(key),
  ...shareCells(key.usage, WINDOWS.slice(-1)),
  plan: key.plan,
  'last use': key.lastUsedAt && formatRelativeTime(key.lastUsedAt),
  owner: key.owner,
  scopes: key.scopes.join(', '),
  ...shareCells(key.usage, WINDOWS.slice(0, -1)),
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

function shareCells(windows: WindowUsages, shown: readonly { readonly name: WindowName }[]) {
  return Object.fromEntries(shown.map(({ name }) => [name, formatShare(windows[name])]));
}

function windowCells(windows: WindowUsages) {
  const describe = (usage: WindowUsage) => `${formatShare(usage)}, resets ${formatRelativeTime(usage.resetsAt)}`;
  return Object.fromEntries(WINDOWS.map(({ name }) => [`used ${describePresent(name)}`, describe(windows[name])]));
}

function formatShare({ used, limit }: WindowUsage): string {
  return `${used} of ${limit}`;
}
