import type { Command } from 'commander';
import {
  commandGroup,
  duration,
  fields,
  formatRelativeTime,
  instant,
  parseList,
  readPages,
  table,
  toned,
  when,
  wholeNumber,
  type Cells,
  type CliContext,
  type CommandRegistration,
} from '#libs/cli';
import { ApplicationError } from '#libs/observability';
import type { ChangedWebhook, WebhookChange } from '../commands/change-webhook.command.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { SENDING_SCOPES, withSilentReason, type WebhookView } from '../domain/webhook.js';
import type { Delivery } from '../records/delivery.store.js';

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

const deliveriesTable = table<Delivery>('Nothing was sent to the endpoint yet.', (delivery) => ({
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
  const group = commandGroup(program, 'webhooks', 'manage the webhook endpoints of API keys');
  group
    .command('create')
    .description('add an endpoint to an API key and print it once with its secret')
    .requiredOption('--key <id>', 'API key that owns the endpoint', parseKeyId)
    .requiredOption('--url <url>', 'URL that receives events, such as https://example.org/events')
    .option('--types <types>', 'event types to send, separated by commas (default: all)')
    .option('--description <text>', 'description, 1 to 1,000 characters')
    .action((options: CreateOptions) => create(context, options));
  group
    .command('list')
    .description('print the endpoints, ascending by id')
    .option('--key <id>', 'only endpoints of this API key', parseKeyId)
    .action((options: { readonly key?: bigint }) => list(context, options));
  addChanges(group, context);
  addDeliveries(group, context);
};

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
  const { webhook, secret } = await context.execute(new RegisterWebhook({ ...values, types }, key, context.metadata));
  context.print({ ...webhook, secret }, webhookFields);
}

function invalidKey(expected: string): ApplicationError {
  return new ApplicationError('invalid_parameter', `--key must be an API key ${expected}`);
}

async function list(context: CliContext, { key }: { readonly key?: bigint }): Promise<void> {
  const { ListWebhooks } = await import('../queries/webhooks.query.js');
  const webhooks: WebhookView[] = [];
  for await (const page of readPages(context, (range) => new ListWebhooks({ ...range, registeredBy: key }))) webhooks.push(...page);
  context.print(await addSilentReasons(context, webhooks), webhooksTable);
}

/** Adds the commands that print one endpoint, as it is or as it has become. */
function addChanges(group: Command, context: CliContext): void {
  addEndpointCommand(group, 'show', 'print one endpoint').action(async (id: bigint) => {
    await printWebhook(context, await getWebhook(context, id));
  });
  const addSwitch = (name: 'enable' | 'disable', description: string) =>
    addEndpointCommand(group, name, description).action(async (id: bigint) => {
      const { webhook, changed } = await change(context, { type: 'update', id, enabled: name === 'enable' });
      await printWebhook(context, webhook);
      if (!changed) context.note(`Nothing was changed: the endpoint ${id} is ${name}d already.`);
    });
  addSwitch('enable', 'send events to an endpoint again, from now on');
  addSwitch('disable', 'stop sending events to an endpoint');
  addEndpointCommand(group, 'delete', 'delete an endpoint with its secrets, and print its last state').action(async (id: bigint) => {
    context.print((await change(context, { type: 'delete', id })).webhook, webhookFields);
  });
  addEndpointCommand(group, 'rotate-secret', 'give an endpoint a new secret and print it once')
    .option('--grace <duration>', 'how long the previous secret also signs, such as 90m or 0s, at most 7d (default: 24h)')
    .action(async (id: bigint, { grace = '24h' }: { readonly grace?: string }) => {
      const { webhook, secret, previousValidUntil: end } = await change(context, { type: 'rotate-secret', id, grace });
      await printWebhook(context, webhook, secret);
      context.note(end ? `The previous secret signs too until ${end.toISOString()}.` : 'The previous secret has ended.');
    });
}

/** Adds the commands about what is sent. A running service does the sending. */
function addDeliveries(group: Command, context: CliContext): void {
  addEndpointCommand(group, 'deliveries', 'print the delivery attempts of an endpoint, newest first')
    .option('--limit <count>', 'maximum number of attempts (default: 20)', parseLimit)
    .action(async (id: bigint, { limit = 20n }: { readonly limit?: bigint }) => {
      const { ListDeliveries } = await import('../queries/webhooks.query.js');
      await getWebhook(context, id);
      const pages = await context.query(new ListDeliveries([id], { limit: Number(limit) }));
      context.print(pages.get(id)?.items ?? [], deliveriesTable);
    });
  addEndpointCommand(group, 'test', 'let a running service send a test event to an endpoint, and print the id of the delivery').action(
    async (id: bigint) => {
      const { SendDelivery } = await import('../commands/send-events.command.js');
      context.print({ id: await context.execute(new SendDelivery(id)) });
    },
  );
  addEndpointCommand(group, 'replay', 'let a running service send events to an endpoint again, and print their number')
    .requiredOption('--after <position>', 'only events after this position; 0 for all', parsePosition)
    .action(async (id: bigint, { after }: { readonly after: bigint }) => {
      const { ReplayEvents } = await import('../commands/send-events.command.js');
      const events = await context.execute(new ReplayEvents(id, after));
      context.print({ events });
      if (events === 0n) context.note(`Nothing was changed: there are no events to send again to the endpoint ${id}.`);
    });
}

/** Adds a command that takes the number of an endpoint. */
function addEndpointCommand(group: Command, name: string, description: string): Command {
  return group.command(name).description(description).argument('<id>', "the endpoint's number", parseWebhookId);
}

async function change(context: CliContext, asked: WebhookChange): Promise<ChangedWebhook> {
  const { ChangeWebhook } = await import('../commands/change-webhook.command.js');
  return context.execute(new ChangeWebhook(asked, context.metadata));
}

async function getWebhook(context: CliContext, id: bigint): Promise<WebhookView> {
  const { GetWebhook } = await import('../queries/webhooks.query.js');
  const webhook = await context.query(new GetWebhook(id));
  if (!webhook) throw new WebhookNotFoundError(id);
  return webhook;
}

async function printWebhook(context: CliContext, webhook: WebhookView, secret?: string): Promise<void> {
  const [shown = webhook] = await addSilentReasons(context, [webhook]);
  context.print({ ...shown, secret }, webhookFields);
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
