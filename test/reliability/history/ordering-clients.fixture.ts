import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../../e2e/api-client.fixture.js';
import { Clients, isTold, observe, postAddition } from './clients.fixture.js';
import {
  idIn,
  isToBeRepeated,
  type Addition,
  type Attempt,
  type History,
  type MoveAttempt,
  type Ordering,
  type Outcome,
  type Seen,
} from './history.js';

// Cancelled less often than moved on, so that some are delivered.
const MOVES: readonly MoveAttempt['move'][] = ['approve', 'approve', 'deliver', 'deliver', 'cancel'];
const RETRY_MILLISECONDS = 10;
// So few that clients are often at the same one.
const LATEST = 4;

/**
 * Clients that add animals, order those of each other, and approve, deliver and cancel these orders, each request until it is answered,
 * and the history of what they saw.
 */
export class OrderingClients extends Clients {
  private readonly adds: Attempt<Addition>[] = [];
  private readonly orders: Attempt<Ordering>[] = [];
  private readonly moves: MoveAttempt[] = [];
  private readonly petIds: string[] = [];
  private readonly orderIds: string[] = [];

  protected history(): History {
    return { adds: this.adds, orders: this.orders, moves: this.moves };
  }

  protected async step(name: string): Promise<void> {
    const [petId, orderId] = [this.petIds, this.orderIds].map((ids): string | undefined => this.oneOf(ids.slice(-LATEST)));
    if (petId === undefined || this.happens(0.2)) await this.add(name);
    else if (orderId === undefined || this.happens(0.5)) await this.order(`order ${name}`, petId);
    else await this.move(orderId);
  }

  private async add(name: string): Promise<void> {
    const sent = { name, categoryId: '7', status: 'available', idempotencyKey: randomUUID(), valid: true };
    const outcome = await this.answerTo(
      () => postAddition(this.client, sent),
      (seen) => this.adds.push({ sent, ...seen }),
    );
    keepId(this.petIds, outcome);
  }

  /** Repeats some of those that were placed, when others may have moved them on. */
  private async order(name: string, petId: string): Promise<void> {
    const sent = { petId, name, idempotencyKey: randomUUID(), valid: true };
    const body = `{"petId":${petId},"note":${JSON.stringify(name)}}`;
    const place = () =>
      this.answerTo(
        () => this.client.post('/v1/store/orders', body, { headers: { 'idempotency-key': sent.idempotencyKey } }),
        (seen) => this.orders.push({ sent, ...seen }),
      );
    const isPlaced = keepId(this.orderIds, await place());
    if (isPlaced && this.happens(0.3)) await place();
  }

  private async move(orderId: string): Promise<void> {
    const move = this.oneOf(MOVES);
    await this.answerTo(
      () => this.client.post(`/v1/store/orders/${orderId}/${move}`, '{}'),
      (seen) => this.moves.push({ orderId, move, ...seen }),
    );
  }

  /**
   * Sends it until it is answered for good, and keeps what is seen each time. A service with a bug may refuse it for ever, so that any answer
   * is good enough once the client is to stop. Undefined where the test was over before.
   */
  private async answerTo(send: () => Promise<Answer>, keep: (seen: Seen) => unknown): Promise<Outcome | undefined> {
    while (!this.isAbandoned) {
      const seen = await observe(send);
      if (isTold(seen)) keep(seen);
      if (!isToBeRepeated(seen.outcome) || (this.stopping && seen.outcome.kind === 'answered')) return seen.outcome;
      await delay(RETRY_MILLISECONDS);
    }
    return undefined;
  }
}

function keepId(ids: string[], outcome: Outcome | undefined): boolean {
  const id = outcome?.kind === 'answered' && outcome.status === 201 ? idIn(outcome.text) : undefined;
  if (id !== undefined) ids.push(id);
  return id !== undefined;
}
