import { CommandBus, QueryBus, type Command as BusCommand } from '@nestjs/cqrs';
import type { Command } from 'commander';
import { fields, parseList, table, toned, when, wholeNumber, type Cell, type CliContext, type CommandRegistration } from '#libs/cli-kit';
import { ApplicationError } from '#libs/errors';
import type { EventMetadata } from '#libs/event-store';
import type { Page } from '#libs/projections';
import { FindUsableApiKeys, GetApiKey } from '../../auth/index.js';
import { ChangeWebhook } from '../commands/change-webhook.command.js';
import { DeleteWebhook } from '../commands/delete-webhook.command.js';
import { RegisterWebhook } from '../commands/register-webhook.command.js';
import { RotateWebhookSecret } from '../commands/rotate-webhook-secret.command.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { SENDING_SCOPES, withSilence, type WebhookView } from '../domain/webhook.js';
import { GetWebhook } from '../queries/get-webhook.query.js';
import { ListWebhooks } from '../queries/list-webhooks.query.js';
import { EventTypes } from '../event-types.js';

const METADATA: EventMetadata = { actor: 'cli' };
const PAGE_SIZE = 1_000;

const parseWebhookId = wholeNumber("ID must be a webhook endpoint's number in plain digits, such as 7", 1n);
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

/** Adds `webhooks create|list|show|enable|disable|delete|rotate-secret`. Programs get endpoints in the form that REST has. */
export const registerWebhooksCommands: CommandRegistration = (program, context) => {
  const group = program.command('webhooks').description('add, see and change the webhook endpoints of API keys');
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
    context.print(await execute(context, new DeleteWebhook({ id }, METADATA)), webhookFields);
  });
  addRotate(group, context);
};

function ofEndpoint(group: Command, name: string, description: string): Command {
  return group.command(name).description(description).argument('<id>', "the endpoint's number", parseWebhookId);
}

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
    const { webhook, changed } = await execute(context, new ChangeWebhook({ id, enabled: turn === 'enable' }, METADATA));
    context.print(await withSilenceOf(context, webhook), webhookFields);
    if (!changed) context.note(`Nothing was changed: the endpoint ${id} is ${turn}d already.`);
  });
}

function addRotate(group: Command, context: CliContext): void {
  ofEndpoint(group, 'rotate-secret', 'give an endpoint a new secret and print it, this once')
    .option('--grace <duration>', 'how long the secret so far signs too, such as 90m or 0s, at most 7d (default: 24h)')
    .action(async (id: bigint, { grace }: { readonly grace?: string }) => {
      const { webhook, secret } = await execute(context, new RotateWebhookSecret({ id, grace }, METADATA));
      context.print({ ...(await withSilenceOf(context, webhook)), secret }, webhookFields);
    });
}

async function create(context: CliContext, { key, types: listed, ...values }: CreateOptions): Promise<void> {
  const application = await context.application();
  const known = application.get(EventTypes, { strict: false }).names;
  const types = listed === undefined ? undefined : parseList('--types', listed, known);
  const { revokedAt } = await application.get(QueryBus, { strict: false }).execute(new GetApiKey(key));
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
  const { webhook, secret } = await execute(context, new RegisterWebhook({ ...values, types }, key, METADATA));
  context.print({ ...webhook, secret }, webhookFields);
}

async function list(context: CliContext, { key }: { readonly key?: bigint }): Promise<void> {
  const application = await context.application();
  const queries = application.get(QueryBus, { strict: false });
  const owner = key === undefined ? {} : { registeredBy: key };
  const webhooks: WebhookView[] = [];
  let after: bigint | undefined;
  do {
    const page: Page<WebhookView> = await queries.execute(new ListWebhooks({ limit: PAGE_SIZE, after, ...owner }));
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
  const application = await context.application();
  const webhook = await application.get(QueryBus, { strict: false }).execute(new GetWebhook(id));
  if (!webhook) throw new WebhookNotFoundError(id);
  context.print(await withSilenceOf(context, webhook), webhookFields);
}

async function withSilenceOf(context: CliContext, webhook: WebhookView): Promise<WebhookView> {
  return withSilence(webhook, (await keysThatMaySend(context, [webhook.registeredBy])).has(webhook.registeredBy));
}

async function keysThatMaySend(context: CliContext, keys: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const application = await context.application();
  return application.get(QueryBus, { strict: false }).execute(new FindUsableApiKeys([...new Set(keys)], SENDING_SCOPES));
}

async function execute<Result>(context: CliContext, command: BusCommand<Result>): Promise<Result> {
  const application = await context.application();
  return application.get(CommandBus, { strict: false }).execute(command);
}
