import type { Command } from 'commander';
import {
  commandGroup,
  fields,
  parseList,
  table,
  toned,
  when,
  wholeNumber,
  type Cell,
  type CliContext,
  type CommandRegistration,
} from '#libs/cli-kit';
import { ApplicationError } from '#libs/errors';
import type { EventMetadata } from '#libs/event-store';
import type { Page } from '#libs/projections';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { SENDING_SCOPES, withSilence, type WebhookView } from '../domain/webhook.js';
import { addDeliveries, ofEndpoint } from './deliveries.cli.js';

const METADATA: EventMetadata = { actor: 'cli' };
const PAGE_SIZE = 1_000;

const parseKeyId = wholeNumber("--key must be an API key's number in plain digits, such as 7", 1n);

const webhooksTable = table<WebhookView>('There are no such endpoints.', (webhook) => ({
  id: webhook.id,
  key: webhook.registeredBy,
  url: webhook.url,
  state: stateCell(webhook),
  types: webhook.types.join(', '),
  description: webhook.description,
}));

const webhookFields = fields<WebhookView & { readonly secret?: string | undefined }>((webhook) => ({
  id: webhook.id,
  'API key': webhook.registeredBy,
  url: webhook.url,
  state: stateCell(webhook),
  types: webhook.types.join(', '),
  description: webhook.description,
  created: when(webhook.createdAt),
  ...(webhook.secret !== undefined && { 'secret, shown this once': toned('strong', webhook.secret) }),
}));

function stateCell({ enabled, disabledReason, silentReason }: WebhookView): Cell {
  if (silentReason) return toned('bad', `silent: its key has ended or lacks ${SENDING_SCOPES.join(' or ')}`);
  return enabled ? toned('good', 'enabled') : toned('bad', `disabled: ${disabledReason ?? ''}`);
}

interface CreateOptions {
  readonly key: bigint;
  readonly url: string;
  readonly types?: string;
  readonly description?: string;
}

/** Adds `webhooks create|list|show|enable|disable|delete|rotate-secret|deliveries|test|replay`. Programs get endpoints in the form that REST has. */
export const registerWebhooksCommands: CommandRegistration = (program, context) => {
  const group = commandGroup(program, 'webhooks', 'add, see and change the webhook endpoints of API keys');
  addCreate(group, context);
  group
    .command('list')
    .description('print the endpoints, ascending by id')
    .option('--key <id>', 'only endpoints of this API key', parseKeyId)
    .action((options: { readonly key?: bigint }) => list(context, options));
  ofEndpoint(group, 'show', 'print one endpoint').action((id: bigint) => show(context, id));
  addTurn(group, context, 'enable', 'have events sent to an endpoint again, those that happen from now on');
  addTurn(group, context, 'disable', 'have no events sent to an endpoint');
  ofEndpoint(group, 'delete', 'end an endpoint for good, with its secrets, and print it as it last was').action(async (id: bigint) => {
    const { DeleteWebhook } = await import('../commands/delete-webhook.command.js');
    context.print(await context.execute(new DeleteWebhook({ id }, METADATA)), webhookFields);
  });
  addRotate(group, context);
  addDeliveries(group, context);
};

function addCreate(group: Command, context: CliContext): void {
  group
    .command('create')
    .description('add an endpoint to an API key and print it with its secret, this once')
    .requiredOption('--key <id>', 'the API key that it shall belong to', parseKeyId)
    .requiredOption('--url <url>', 'where events are sent to, such as https://example.org/events')
    .option('--types <types>', 'the event types that are sent, separated by commas (default: all)')
    .option('--description <text>', 'what it is for, 1 to 1,000 characters')
    .action((options: CreateOptions) => create(context, options));
}

function addTurn(group: Command, context: CliContext, turn: 'enable' | 'disable', description: string): void {
  ofEndpoint(group, turn, description).action(async (id: bigint) => {
    const { ChangeWebhook } = await import('../commands/change-webhook.command.js');
    const { webhook, changed } = await context.execute(new ChangeWebhook({ id, enabled: turn === 'enable' }, METADATA));
    context.print(await withSilenceOf(context, webhook), webhookFields);
    if (!changed) context.note(`Nothing was changed: the endpoint ${id} is ${turn}d already.`);
  });
}

function addRotate(group: Command, context: CliContext): void {
  ofEndpoint(group, 'rotate-secret', 'give an endpoint a new secret and print it, this once')
    .option('--grace <duration>', 'how long the secret so far signs too, such as 90m or 0s, at most 7d (default: 24h)')
    .action(async (id: bigint, { grace }: { readonly grace?: string }) => {
      const { RotateWebhookSecret } = await import('../commands/rotate-webhook-secret.command.js');
      const { webhook, secret } = await context.execute(new RotateWebhookSecret({ id, grace }, METADATA));
      context.print({ ...(await withSilenceOf(context, webhook)), secret }, webhookFields);
    });
}

async function create(context: CliContext, { key, types: listed, ...values }: CreateOptions): Promise<void> {
  const { GetApiKey } = await import('../../auth/index.js');
  const { RegisterWebhook } = await import('../commands/register-webhook.command.js');
  const { EventTypes } = await import('../event-types.js');
  const known = (await context.get(EventTypes)).names;
  const types = listed === undefined ? undefined : parseList('--types', listed, known);
  const { revokedAt } = await context.query(new GetApiKey(key));
  if (revokedAt !== null) {
    throw new ApplicationError('invalid_parameter', `--key must be an API key that is in use; ${key} is revoked.`);
  }
  if (!(await keysThatMaySend(context, [key])).has(key)) {
    const problem = `${key} has expired, or lacks one of them: keys add-scope ${key} events`;
    throw new ApplicationError(
      'invalid_parameter',
      `--key must be an API key with the scopes ${SENDING_SCOPES.join(' and ')}; ${problem}.`,
    );
  }
  const { webhook, secret } = await context.execute(new RegisterWebhook({ ...values, types }, key, METADATA));
  context.print({ ...webhook, secret }, webhookFields);
}

async function list(context: CliContext, { key }: { readonly key?: bigint }): Promise<void> {
  const { ListWebhooks } = await import('../queries/list-webhooks.query.js');
  const owner = key === undefined ? {} : { registeredBy: key };
  const webhooks: WebhookView[] = [];
  let after: bigint | undefined;
  do {
    const page: Page<WebhookView> = await context.query(new ListWebhooks({ limit: PAGE_SIZE, after, ...owner }));
    webhooks.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  const maySend = await keysThatMaySend(
    context,
    webhooks.map(({ registeredBy }) => registeredBy),
  );
  context.print(
    webhooks.map((webhook) => withSilence(webhook, maySend.has(webhook.registeredBy))),
    webhooksTable,
  );
}

async function show(context: CliContext, id: bigint): Promise<void> {
  const { GetWebhook } = await import('../queries/get-webhook.query.js');
  const webhook = await context.query(new GetWebhook(id));
  if (!webhook) throw new WebhookNotFoundError(id);
  context.print(await withSilenceOf(context, webhook), webhookFields);
}

async function withSilenceOf(context: CliContext, webhook: WebhookView): Promise<WebhookView> {
  return withSilence(webhook, (await keysThatMaySend(context, [webhook.registeredBy])).has(webhook.registeredBy));
}

async function keysThatMaySend(context: CliContext, keys: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const { FindUsableApiKeys } = await import('../../auth/index.js');
  return context.query(new FindUsableApiKeys([...new Set(keys)], SENDING_SCOPES));
}
