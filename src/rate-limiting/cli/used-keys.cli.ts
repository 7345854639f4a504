import { fields, formatRelativeTime, readPages, table, when, type CliContext, type CommandRegistration } from '#libs/cli';
import { apiKeyCells, keysCommandGroup, parseKeyId, stateCell } from '../../auth/cli/keys.cli.js';
import type { UsedApiKey } from '../../auth/index.js';
import type { KeyUsage, ListKeyUsages, WindowUsage } from '../queries/list-key-usages.query.js';

/** A key with what it has used up of its plan. */
type KeyWithUsage = UsedApiKey & Pick<KeyUsage, 'ban'> & { readonly usage: Pick<KeyUsage, 'minute' | 'day'> };

/** Adds `keys list|show|usage`. */
export const registerUsedKeysCommands: CommandRegistration = (program, context) => {
  const keys = keysCommandGroup(program);
  keys
    .command('list')
    .description('print all keys, also revoked ones, with their usage')
    .action(() => list(context));
  keys
    .command('show')
    .description('print one key with its usage')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => show(context, id));
  keys
    .command('usage')
    .description('print the usage of a key, at most one second old')
    .argument('<id>', "the key's number", parseKeyId)
    .action((id: bigint) => showUsage(context, id));
};

async function list(context: CliContext): Promise<void> {
  const { BrowseApiKeys } = await import('../../auth/index.js');
  const keys: KeyWithUsage[] = [];
  for await (const page of readPages(context, (range) => new BrowseApiKeys(range))) keys.push(...(await withUsage(context, page)));
  context.print(keys, keysTable);
}

async function show(context: CliContext, id: bigint): Promise<void> {
  const { GetApiKey } = await import('../../auth/index.js');
  const [key] = await withUsage(context, [await context.query(new GetApiKey(id))]);
  if (key) context.print(key, keyFields);
}

async function showUsage(context: CliContext, id: bigint): Promise<void> {
  const { GetApiKey } = await import('../../auth/index.js');
  const [usage] = await readUsages(context, [await context.query(new GetApiKey(id))]);
  if (usage) context.print(usage, usageFields);
}

async function readUsages(context: CliContext, keys: ListKeyUsages['keys']): Promise<readonly KeyUsage[]> {
  const { ListKeyUsages: Usages } = await import('../queries/list-key-usages.query.js');
  return context.query(new Usages(keys));
}

async function withUsage(context: CliContext, keys: readonly UsedApiKey[]): Promise<KeyWithUsage[]> {
  const usages = new Map((await readUsages(context, keys)).map((usage) => [usage.id, usage]));
  return keys.flatMap((key) => {
    const usage = usages.get(key.id);
    return usage ? [{ ...key, usage: { minute: usage.minute, day: usage.day }, ban: usage.ban }] : [];
  });
}

const keysTable = table<KeyWithUsage>('There are no API keys; "keys create" makes one.', (key) => ({
  id: key.id,
  name: key.name,
  key: key.keyStart && `${key.keyStart}…`,
  plan: key.plan,
  scopes: key.scopes.join(', '),
  minute: formatShare(key.usage.minute),
  day: formatShare(key.usage.day),
  'last use': key.lastUsedAt && formatRelativeTime(key.lastUsedAt),
  expires: key.expiresAt === null ? 'never' : formatRelativeTime(key.expiresAt),
  state: stateCell(key),
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
  banned: ban ? `until ${when(ban.until) ?? ''}, step ${ban.step}` : 'no',
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
