import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { ApiClient, type Answer } from '../../e2e/api-client.fixture.js';
import { isToBeRepeated } from './check-orders.js';
import type { Traffic } from './history-client.fixture.js';
import { idIn, type AddAttempt, type Outcome } from './history.js';
import { observe, postAddition, type Observed } from './observed-request.fixture.js';
import type { MoveAttempt, OrderAttempt, OrderHistory, Ordering } from './order-history.js';

// Cancelled less often than moved on, so that some are delivered.
const MOVES: readonly MoveAttempt['move'][] = ['approve', 'approve', 'deliver', 'deliver', 'cancel'];
const RETRY_MILLISECONDS = 10;
// So few that clients are often at the same one.
const LATEST = 4;

/**
 * Clients that add animals, order those of each other, and approve, deliver and cancel these orders, each request until it is answered,
 * and the history of what they saw. They go on until they are told to stop or the test is over.
 */
export class OrderingClients {
  private readonly adds: AddAttempt[] = [];
  private readonly orders: OrderAttempt[] = [];
  private readonly moves: MoveAttempt[] = [];
  private readonly petIds: string[] = [];
  private readonly orderIds: string[] = [];
  private readonly client: ApiClient;
  private readonly running: Promise<unknown>;
  private stopping = false;
  private isAbandoned = false;

  constructor(
    count: number,
    private readonly traffic: Traffic,
  ) {
    this.client = new ApiClient(traffic.origin, traffic.key);
    this.running = Promise.all(Array.from({ length: count }, (_, index) => this.run(index)));
    // Awaited in stop; until then a failure must not end the process.
    this.running.catch(() => undefined);
    closeAtEnd(() => this.abandon());
  }

  /** Lets every client finish what it is at, which needs a service that answers. */
  async stop(): Promise<OrderHistory> {
    this.stopping = true;
    await this.running;
    this.client.close();
    return { adds: this.adds, orders: this.orders, moves: this.moves };
  }

  /** Ends without waiting for answers that may never come. */
  private abandon(): void {
    this.stopping = true;
    this.isAbandoned = true;
    this.client.close();
  }

  private async run(client: number): Promise<void> {
    for (let number = 0; !this.stopping; number += 1) {
      const name = `${this.traffic.prefix ?? ''}${client}-${number}`;
      const petId = this.oneOfLatest(this.petIds);
      const orderId = this.oneOfLatest(this.orderIds);
      if (petId === undefined || this.happens(0.2)) await this.add(name);
      else if (orderId === undefined || this.happens(0.5)) await this.order(name, petId);
      else await this.move(orderId);
    }
  }

  private async add(name: string): Promise<void> {
    const addition = { name, categoryId: '7', status: 'available', idempotencyKey: randomUUID(), valid: true };
    const outcome = await this.answerTo(
      () => postAddition(this.client, addition),
      (seen) => this.adds.push({ addition, ...seen }),
    );
    keepId(this.petIds, outcome);
  }

  /** Repeats some of those that were placed, when others may have moved them on. */
  private async order(name: string, petId: string): Promise<void> {
    const ordering = { petId, note: `order ${name}`, idempotencyKey: randomUUID() };
    const outcome = await this.place(ordering);
    keepId(this.orderIds, outcome);
    if (outcome?.kind === 'answered' && outcome.status === 201 && this.happens(0.3)) await this.place(ordering);
  }

  private place(ordering: Ordering): Promise<Outcome | undefined> {
    const { petId, note, idempotencyKey } = ordering;
    const body = `{"petId":${petId},"note":${JSON.stringify(note)}}`;
    return this.answerTo(
      () => this.client.post('/v1/store/orders', body, { headers: { 'idempotency-key': idempotencyKey } }),
      (seen) => this.orders.push({ ordering, ...seen }),
    );
  }

  private async move(orderId: string): Promise<void> {
    const move = MOVES[Math.floor(this.traffic.random() * MOVES.length)] ?? 'cancel';
    await this.answerTo(
      () => this.client.post(`/v1/store/orders/${orderId}/${move}`, '{}'),
      (seen) => this.moves.push({ orderId, move, ...seen }),
    );
  }

  /** Sends it until it is answered for good, and keeps what is seen each time. Undefined where the test was over before. */
  private async answerTo(send: () => Promise<Answer>, keep: (seen: Observed) => unknown): Promise<Outcome | undefined> {
    while (!this.isAbandoned) {
      const seen = await observe(send);
      // What no service was there to take says nothing.
      if (seen.outcome.kind === 'answered' || seen.outcome.reason !== 'ECONNREFUSED') keep(seen);
      if (!isToBeRepeated(seen.outcome)) return seen.outcome;
      await delay(RETRY_MILLISECONDS);
    }
    return undefined;
  }

  private happens(probability: number): boolean {
    return this.traffic.random() < probability;
  }

  private oneOfLatest(ids: readonly string[]): string | undefined {
    return ids.slice(-LATEST).at(Math.floor(this.traffic.random() * LATEST));
  }
}

function keepId(ids: string[], outcome: Outcome | undefined): void {
  const id = outcome?.kind === 'answered' && outcome.status === 201 ? idIn(outcome.text) : undefined;
  if (id !== undefined) ids.push(id);
}
