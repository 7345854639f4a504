import { Option, type Command } from 'commander';
import { instant, parseDuration, readPages, table, toned, when, wholeNumber, type CliContext, type CommandRegistration } from '#libs/cli';
import { Clock } from '#libs/observability';
import { OrderNotFoundError } from '../domain/order.errors.js';
import { ORDER_STATUSES, toOrder, type Order, type OrderSnapshot, type OrderStatus } from '../domain/order.js';
import type { OrderTransition } from '../domain/order.transitions.js';

const parseOrderArgument = wholeNumber("ID must be an order's number in plain digits, such as 7", 1n);
const parsePetArgument = wholeNumber("--pet must be an animal's number in plain digits, such as 7", 1n);

const ordersTable = table<Order>('There are no such orders.', ({ id, petId, status, placedAt, expiresAt, note }) => ({
  id,
  animal: petId,
  status: status === 'placed' ? toned('strong', status) : status,
  placed: instant(placedAt),
  expires: status === 'placed' && expiresAt ? when(expiresAt) : undefined,
  note,
}));

interface ListOptions {
  readonly status?: OrderStatus;
  readonly pet?: bigint;
  readonly expiringWithin?: number;
}

/** Adds `orders list|show|approve|deliver|cancel`. JSON output has the form of REST. */
export const registerOrdersCommands: CommandRegistration = (program, context) => {
  const group = program.command('orders').description('show, approve, deliver and cancel orders');
  addList(group, context);
  group
    .command('show')
    .description('print one order')
    .argument('<id>', "the order's number", parseOrderArgument)
    .action((id: bigint) => show(context, id));
  addTransition(group, context, 'approve', 'approve an order, which then no longer expires');
  addTransition(group, context, 'deliver', 'hand over the animal of an approved order');
  addTransition(group, context, 'cancel', 'cancel an order and make its animal available again').option(
    '--reason <reason>',
    'reason of the cancellation',
  );
};

function addList(group: Command, context: CliContext): void {
  group
    .command('list')
    .description('print the orders, ascending by id')
    .addOption(new Option('--status <status>', 'only orders with this status').choices(ORDER_STATUSES))
    .option('--pet <id>', 'only orders for this animal', parsePetArgument)
    .option('--expiring-within <duration>', 'only placed orders that expire within, such as 1h, or are overdue', parseDuration)
    .action((options: ListOptions) => list(context, options));
}

function addTransition(group: Command, context: CliContext, transition: OrderTransition, description: string): Command {
  return group
    .command(transition)
    .description(description)
    .argument('<id>', "the order's number", parseOrderArgument)
    .action(async (id: bigint, { reason }: { readonly reason?: string }) => {
      const { TransitionOrder } = await import('../commands/transition-order.command.js');
      const { order, changed } = await context.execute(new TransitionOrder(transition, { id, reason }, context.metadata));
      context.print(toOrder(order));
      if (!changed) context.note(`Nothing was changed: the order ${id} is ${order.status} already.`);
    });
}

async function list(context: CliContext, { status, pet, expiringWithin }: ListOptions): Promise<void> {
  const { ListOrders } = await import('../queries/orders.query.js');
  const end = expiringWithin === undefined ? undefined : (await context.get(Clock)).now().getTime() + expiringWithin;
  const wanted = end === undefined ? status : (status ?? 'placed');
  const filters = { statusIn: wanted && [wanted], petIn: pet === undefined ? undefined : [pet] };
  const orders: Order[] = [];
  for await (const page of readPages(context, (range) => new ListOrders({ ...range, filters }))) {
    orders.push(...page.filter((order) => end === undefined || expiresBy(order, end)).map(toOrder));
  }
  context.print(orders, ordersTable);
}

function expiresBy({ status, expiresAt }: OrderSnapshot, end: number): boolean {
  return status === 'placed' && expiresAt !== undefined && expiresAt.getTime() <= end;
}

async function show(context: CliContext, id: bigint): Promise<void> {
  const { GetOrder } = await import('../queries/orders.query.js');
  const order = await context.query(new GetOrder(id));
  if (!order) throw new OrderNotFoundError(id);
  context.print(toOrder(order));
}
