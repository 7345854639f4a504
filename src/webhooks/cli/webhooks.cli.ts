import { CommandBus, QueryBus, type Command as BusCommand, type Query as BusQuery } from '@nestjs/cqrs';
import type { Command } from 'commander';
import {
  duration,
  fields,
  fromNow,
  instant,
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
import { FindUsableApiKeys, GetApiKey } from '../../auth/index.js';
import { ChangeWebhook, DeleteWebhook } from '../commands/change-webhook.command.js';
import { RegisterWebhook } from '../commands/register-webhook.command.js';
import { RotateWebhookSecret } from '../commands/rotate-webhook-secret.command.js';
import { ReplayEvents, SendDelivery } from '../commands/send-events.command.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { SENDING_SCOPES, withSilentReason, type WebhookView } from '../domain/webhook.js';
import { EventTypes } from '../event-types.js';
import { GetWebhook, ListDeliveries, ListWebhooks } from '../queries/webhooks.query.js';
import type { Delivery } from '../records/delivery.store.js';

const METADATA: EventMetadata = { actor: 'cli' };
const PAGE_SIZE = 1_000;

const parseWebhookId = wholeNumber("ID must be a webhook endpoint's number in plain digits, such as 7", 1n);
const parseKeyId = wholeNumber("--key must be an API key's number in plain digits, such as 7", 1n);
const parsePosition = wholeNumber('--after must be a whole number from 0 in plain digits', 0n);
const parseLimit = wholeNumber('--limit must be a whole number from 1 in plain digits', 1n);

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

const deliveriesTable = table<Delivery>('Nothing was sent to it yet.', (delivery) => ({
  id: delivery.id,
  at: instant(delivery.attemptedAt),
  type: delivery.type,
  attempt: delivery.attempt,
  status: delivery.status,
  took: duration(delivery.durationMilliseconds),
  'next attempt': delivery.nextAttemptAt && fromNow(delivery.nextAttemptAt),
  error: delivery.error === undefined ? undefined : toned('bad', delivery.error),
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

/** Adds the commands `webhooks …`. Programs get endpoints in the form of REST; a running service sends tests and replays. */
export const registerWebhooksCommands: CommandRegistration = (program, context) => {
  const group = program.command('webhooks').description('add, see and change the webhook endpoints of API keys');
  group
    .command('create')
    .description('add an endpoint to an API key and print it with its secret, this once')
    .requiredOption('--key <id>', 'the API key that it shall belong to', parseKeyId)
    .requiredOption('--url <url>', 'where events are sent to, such as https://example.org/events')
    .option('--types <types>', 'the event types that are sent, separated by commas (default: all)')
    .option('--description <text>', 'what it is for, 1 to 1,000 characters')
    .action((options: CreateOptions) => create(context, options));
  group
    .command('list')
    .description('print the endpoints, ascending by id')
    .option('--key <id>', 'only endpoints of this API key', parseKeyId)
    .action((options: { readonly key?: bigint }) => list(context, options));
  endpointCommand(group, 'show', 'print one endpoint').action((id: bigint) => show(context, id));
  addSwitch(group, context, 'enable', 'have events sent to an endpoint again, those that happen from now on');
  addSwitch(group, context, 'disable', 'have no events sent to an endpoint');
  endpointCommand(group, 'delete', 'end an endpoint for good, with its secrets, and print it as it last was').action(async (id: bigint) => {
    context.print(await execute(context, new DeleteWebhook(id, METADATA)), webhookFields);
  });
  endpointCommand(group, 'rotate-secret', 'give an endpoint a new secret and print it, this once')
    .option('--grace <duration>', 'how long the secret so far signs too, such as 90m or 0s, at most 7d (default: 24h)')
    .action(async (id: bigint, { grace }: { readonly grace?: string }) => {
      const { webhook, secret } = await execute(context, new RotateWebhookSecret(id, grace, METADATA));
      context.print({ ...(await addSilentReason(context, webhook)), secret }, webhookFields);
    });
  addDeliveries(group, context);
};

function addDeliveries(group: Command, context: CliContext): void {
  endpointCommand(group, 'deliveries', 'print the attempts to send to an endpoint, the newest first')
    .option('--limit <count>', 'at most this many (default: 20)', parseLimit)
    .action(async (id: bigint, { limit = 20n }: { readonly limit?: bigint }) => {
      await find(context, id);
      const pages = await ask(context, new ListDeliveries([id], { limit: Number(limit) }));
      context.print(pages.get(id)?.items ?? [], deliveriesTable);
    });
  endpointCommand(group, 'test', 'have a running service send a test to an endpoint, and print the id of the delivery').action(
    async (id: bigint) => context.print({ id: await execute(context, new SendDelivery(id)) }),
  );
  endpointCommand(group, 'replay', 'have a running service send events to an endpoint once more, and print how many')
    .requiredOption('--after <position>', 'only events behind this position; 0 for all', parsePosition)
    .action(async (id: bigint, { after }: { readonly after: bigint }) => {
      const events = await execute(context, new ReplayEvents(id, after));
      context.print({ events });
      if (events === 0n) context.note(`Nothing was changed: there are no events for the endpoint ${id} to send once more.`);
    });
}

function endpointCommand(group: Command, name: string, description: string): Command {
  return group.command(name).description(description).argument('<id>', "the endpoint's number", parseWebhookId);
}

function addSwitch(group: Command, context: CliContext, name: 'enable' | 'disable', description: string): void {
  endpointCommand(group, name, description).action(async (id: bigint) => {
    const { webhook, changed } = await execute(context, new ChangeWebhook({ id, enabled: name === 'enable' }, METADATA));
    context.print(await addSilentReason(context, webhook), webhookFields);
    if (!changed) context.note(`Nothing was changed: the endpoint ${id} is ${name}d already.`);
  });
}

async function create(context: CliContext, { key, types: listed, ...values }: CreateOptions): Promise<void> {
  const known = (await context.application()).get(EventTypes, { strict: false }).names;
  const types = listed === undefined ? undefined : parseList('--types', listed, known);
  const { revokedAt } = await ask(context, new GetApiKey(key));
  if (revokedAt !== null) {
    throw new ApplicationError('invalid_parameter', `--key must be an API key that is in use; ${key} is revoked.`);
  }
  if (!(await findKeysThatMaySend(context, [key])).has(key)) {
    const problem = `${key} has expired, or lacks one of them: keys add-scope ${key} events`;
    throw new ApplicationError(
      'invalid_parameter',
      `--key must be an API key with the scopes ${SENDING_SCOPES.join(' and ')}; ${problem}.`,
    );
  }
  const { webhook, secret } = await execute(context, new RegisterWebhook({ ...values, types }, key, METADATA));
  context.print({ ...webhook, secret }, webhookFields);
}

async function list(context: CliContext, { key }: { readonly key?: bigint }): Promise<void> {
  const owner = key === undefined ? {} : { registeredBy: key };
  const webhooks: WebhookView[] = [];
  let after: bigint | undefined;
  do {
    const page: Page<WebhookView> = await ask(context, new ListWebhooks({ limit: PAGE_SIZE, after, ...owner }));
    webhooks.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  const keys = webhooks.map(({ registeredBy }) => registeredBy);
  const maySend = await findKeysThatMaySend(context, keys);
  context.print(
    webhooks.map((webhook) => withSilentReason(webhook, maySend.has(webhook.registeredBy))),
    webhooksTable,
  );
}

async function show(context: CliContext, id: bigint): Promise<void> {
  context.print(await addSilentReason(context, await find(context, id)), webhookFields);
}

async function find(context: CliContext, id: bigint): Promise<WebhookView> {
  const webhook = await ask(context, new GetWebhook(id));
  if (!webhook) throw new WebhookNotFoundError(id);
  return webhook;
}

async function addSilentReason(context: CliContext, webhook: WebhookView): Promise<WebhookView> {
  return withSilentReason(webhook, (await findKeysThatMaySend(context, [webhook.registeredBy])).has(webhook.registeredBy));
}

function findKeysThatMaySend(context: CliContext, keys: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  return ask(context, new FindUsableApiKeys([...new Set(keys)], SENDING_SCOPES));
}

async function ask<Result>(context: CliContext, query: BusQuery<Result>): Promise<Result> {
  return (await context.application()).get(QueryBus, { strict: false }).execute(query);
}

async function execute<Result>(context: CliContext, command: BusCommand<Result>): Promise<Result> {
  return (await context.application()).get(CommandBus, { strict: false }).execute(command);
}
