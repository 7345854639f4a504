import type { Command } from 'commander';
import { duration, fromNow, instant, table, toned, wholeNumber, type CliContext } from '#libs/cli';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { Delivery } from '../records/delivery.store.js';

const parseWebhookId = wholeNumber("ID must be a webhook endpoint's number in plain digits, such as 7", 1n);
const parsePosition = wholeNumber('--after must be a whole number from 0 in plain digits', 0n);
const parseLimit = wholeNumber('--limit must be a whole number from 1 in plain digits', 1n);

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

/** Adds `webhooks deliveries|test|replay`. A running service does the sending. */
export function addDeliveries(group: Command, context: CliContext): void {
  endpointCommand(group, 'deliveries', 'print the attempts to send to an endpoint, the newest first')
    .option('--limit <count>', 'at most this many (default: 20)', parseLimit)
    .action((id: bigint, { limit }: { readonly limit?: bigint }) => list(context, id, Number(limit ?? 20n)));
  endpointCommand(group, 'test', 'have a running service send a test to an endpoint, and print the id of the delivery').action(
    (id: bigint) => send(context, id),
  );
  endpointCommand(group, 'replay', 'have a running service send events to an endpoint once more, and print how many')
    .requiredOption('--after <position>', 'only events behind this position; 0 for all', parsePosition)
    .action((id: bigint, { after }: { readonly after: bigint }) => replay(context, id, after));
}

/** Adds a command that takes the number of an endpoint. */
export function endpointCommand(group: Command, name: string, description: string): Command {
  return group.command(name).description(description).argument('<id>', "the endpoint's number", parseWebhookId);
}

async function list(context: CliContext, id: bigint, limit: number): Promise<void> {
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
