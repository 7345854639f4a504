import type { Command } from 'commander';
import {
  commandGroup,
  duration,
  fields,
  formatRelativeTime,
  instant,
  parseList,
  table,
  toned,
  when,
  wholeNumber,
  type Cells,
  type CliContext,
  type CommandRegistration,
} from '#libs/cli';
import { ApplicationError } from '#libs/observability';
import type { EventMetadata, Page } from '#libs/event-sourcing';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { SENDING_SCOPES, withSilentReason, type WebhookView } from '../domain/webhook.js';
import type { Delivery } from '../records/delivery.store.js';

const METADATA: EventMetadata = { actor: 'cli' };
const PAGE_SIZE = 1_000;

const parseWebhookId = wholeNumber("ID must be a webhook endpoint's number in plain digits, such as 7", 1n);
const parsePosition = wholeNumber('--after must be a whole number from 0 in plain digits', 0n);
const parseLimit = wholeNumber('--limit must be a whole number from 1 in plain digits', 1n);
const parseKeyId = wholeNumber("--key must be an API key's number in plain digits, such as 7", 1n);

const webhooksTable = table<WebhookView>('There are no such endpoints.', (webhook) => ({
  id: webhook.id,
  key: webhook.registeredBy,
  ...valueCells(webhook),
}));

const webhookFields = fields<WebhookView & { readonly secret?: string | undefined }>((webhook) => ({
  id: webhook.id,
  'API key': webhook.registeredBy,
  ...valueCells(webhook),
  created: when(webhook.createdAt),
  ...(webhook.secret !== undefined && { 'secret, shown this once': toned('strong', webhook.secret) }),
}));

function valueCells({ url, types, description, enabled, disabledReason, silentReason }: WebhookView): Cells {
  const silent = silentReason && toned('bad', `silent: its key has ended or lacks ${SENDING_SCOPES.join(' or ')}`);
  const state = enabled ? toned('good', 'enabled') : toned('bad', `disabled: ${disabledReason ?? ''}`);
  return { url, state: silent ?? state, types: types.join(', '), description };
}

const deliveriesTable = table<Delivery>('Nothing was sent to it yet.', (delivery) => ({
  id: delivery.id,
  at: instant(delivery.attemptedAt),
  type: delivery.type,
  attempt: delivery.attempt,
  status: delivery.status,
  took: duration(delivery.durationMilliseconds),
  'next attempt': delivery.nextAttemptAt && formatRelativeTime(delivery.nextAttemptAt),
  error: delivery.error === undefined ? undefined : toned('bad', delivery.error),
}));

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
  endpointCommand(group, 'show', 'print one endpoint').action((id: bigint) => show(context, id));
  addSwitch(group, context, 'enable', 'have events sent to an endpoint again, those that happen from now on');
  addSwitch(group, context, 'disable', 'have no events sent to an endpoint');
  endpointCommand(group, 'delete', 'end an endpoint for good, with its secrets, and print it as it last was').action(async (id: bigint) => {
    const { DeleteWebhook } = await import('../commands/change-webhook.command.js');
    context.print(await context.execute(new DeleteWebhook(id, METADATA)), webhookFields);
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

function addSwitch(group: Command, context: CliContext, name: 'enable' | 'disable', description: string): void {
  endpointCommand(group, name, description).action(async (id: bigint) => {
    const { ChangeWebhook } = await import('../commands/change-webhook.command.js');
    const { webhook, changed } = await context.execute(new ChangeWebhook({ id, enabled: name === 'enable' }, METADATA));
    await printWebhook(context, webhook);
    if (!changed) context.note(`Nothing was changed: the endpoint ${id} is ${name}d already.`);
  });
}

function addRotate(group: Command, context: CliContext): void {
  endpointCommand(group, 'rotate-secret', 'give an endpoint a new secret and print it, this once')
    .option('--grace <duration>', 'how long the secret so far signs too, such as 90m or 0s, at most 7d (default: 24h)')
    .action(async (id: bigint, { grace }: { readonly grace?: string }) => {
      const { RotateWebhookSecret } = await import('../commands/change-webhook.command.js');
      const { webhook, secret } = await context.execute(new RotateWebhookSecret(id, grace, METADATA));
      await printWebhook(context, webhook, secret);
    });
}

async function create(context: CliContext, { key, types: listed, ...values }: CreateOptions): Promise<void> {
  const { GetApiKey } = await import('../../auth/index.js');
  const { RegisterWebhook } = await import('../commands/register-webhook.command.js');
  const { PublicEventCatalog } = await import('#libs/http');
  const known = (await context.get(PublicEventCatalog)).types.map(({ as }) => as);
  const types = listed === undefined ? undefined : parseList('--types', listed, known);
  const { revokedAt } = await context.query(new GetApiKey(key));
  if (revokedAt !== null) throw invalidKey(`that is in use; ${key} is revoked.`);
  if (!(await findKeysThatMaySend(context, [key])).has(key)) {
    const problem = `${key} has expired, or lacks one of them: keys add-scope ${key} events`;
    throw invalidKey(`with the scopes ${SENDING_SCOPES.join(' and ')}; ${problem}.`);
  }
  const { webhook, secret } = await context.execute(new RegisterWebhook({ ...values, types }, key, METADATA));
  context.print({ ...webhook, secret }, webhookFields);
}

function invalidKey(expected: string): ApplicationError {
  return new ApplicationError('invalid_parameter', `--key must be an API key ${expected}`);
}

async function list(context: CliContext, { key }: { readonly key?: bigint }): Promise<void> {
  const { ListWebhooks } = await import('../queries/webhooks.query.js');
  const owner = key === undefined ? {} : { registeredBy: key };
  const webhooks: WebhookView[] = [];
  let after: bigint | undefined;
  do {
    const page: Page<WebhookView> = await context.query(new ListWebhooks({ limit: PAGE_SIZE, after, ...owner }));
    webhooks.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  context.print(await addSilentReasons(context, webhooks), webhooksTable);
}

async function show(context: CliContext, id: bigint): Promise<void> {
  const { GetWebhook } = await import('../queries/webhooks.query.js');
  const webhook = await context.query(new GetWebhook(id));
  if (!webhook) throw new WebhookNotFoundError(id);
  await printWebhook(context, webhook);
}

async function printWebhook(context: CliContext, webhook: WebhookView, secret?: string): Promise<void> {
  const [shown = webhook] = await addSilentReasons(context, [webhook]);
  context.print({ ...shown, ...(secret !== undefined && { secret }) }, webhookFields);
}

async function addSilentReasons(context: CliContext, webhooks: readonly WebhookView[]): Promise<WebhookView[]> {
  const owners = webhooks.map(({ registeredBy }) => registeredBy);
  const maySend = await findKeysThatMaySend(context, owners);
  return webhooks.map((webhook) => withSilentReason(webhook, maySend.has(webhook.registeredBy)));
}

async function findKeysThatMaySend(context: CliContext, keys: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const { FindUsableApiKeys } = await import('../../auth/index.js');
  return context.query(new FindUsableApiKeys([...new Set(keys)], SENDING_SCOPES));
}

/** A running service does the sending. */
function addDeliveries(group: Command, context: CliContext): void {
  endpointCommand(group, 'deliveries', 'print the attempts to send to an endpoint, the newest first')
    .option('--limit <count>', 'at most this many (default: 20)', parseLimit)
    .action((id: bigint, { limit }: { readonly limit?: bigint }) => listDeliveries(context, id, Number(limit ?? 20n)));
  endpointCommand(group, 'test', 'have a running service send a test to an endpoint, and print the id of the delivery').action(
    (id: bigint) => send(context, id),
  );
  endpointCommand(group, 'replay', 'have a running service send events to an endpoint once more, and print how many')
    .requiredOption('--after <position>', 'only events behind this position; 0 for all', parsePosition)
    .action((id: bigint, { after }: { readonly after: bigint }) => replay(context, id, after));
}

/** Adds a command that takes the number of an endpoint. */
function endpointCommand(group: Command, name: string, description: string): Command {
  return group.command(name).description(description).argument('<id>', "the endpoint's number", parseWebhookId);
}

async function listDeliveries(context: CliContext, id: bigint, limit: number): Promise<void> {
  const { GetWebhook, ListDeliveries } = await import('../queries/webhooks.query.js');
  if (!(await context.query(new GetWebhook(id)))) throw new WebhookNotFoundError(id);
  context.print((await context.query(new ListDeliveries([id], { limit }))).get(id)?.items ?? [], deliveriesTable);
}

async function send(context: CliContext, id: bigint): Promise<void> {
  const { SendDelivery } = await import('../commands/send-events.command.js');
  context.print({ id: await context.execute(new SendDelivery(id)) });
}

async function replay(context: CliContext, id: bigint, after: bigint): Promise<void> {
  const { ReplayEvents } = await import('../commands/send-events.command.js');
  const events = await context.execute(new ReplayEvents(id, after));
  context.print({ events });
  if (events === 0n) context.note(`Nothing was changed: there are no events for the endpoint ${id} to send once more.`);
}
