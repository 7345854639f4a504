import { randomUUID } from 'node:crypto';
import { until } from '#libs/testing';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import type { Answer, ApiClient } from '../../e2e/api-client.fixture.js';

const CALLERS = 8;

/** An animal whose 201 a client has got. */
export interface Acknowledged {
  readonly id: number;
  readonly name: string;
}

/** Clients that add animals and read them back, each as fast as it is answered. */
export class Traffic {
  /** What was answered otherwise than with success, or not at all. */
  readonly failures: string[] = [];
  readonly acknowledged: Acknowledged[] = [];
  private ended = false;
  private readonly callers: Promise<unknown>;
  private readonly stopAtEnd = closeAtEnd(() => {
    this.ended = true;
    return this.callers;
  });

  /** @param attempts how often a request is sent at most, with the same Idempotency-Key, until it succeeds */
  constructor(
    private readonly client: ApiClient,
    private readonly attempts = 1,
  ) {
    this.callers = Promise.all(Array.from({ length: CALLERS }, () => this.call()));
  }

  /** Resolves when so many more requests have succeeded. */
  async succeeds(times: number): Promise<void> {
    const goal = this.acknowledged.length + times;
    await until(
      () => this.acknowledged.length >= goal,
      () => this.failures,
    );
  }

  /** Resolves when nothing is in progress any more. */
  stop(): Promise<void> {
    return this.stopAtEnd();
  }

  private async call(): Promise<void> {
    while (!this.ended) {
      const name = randomUUID();
      const headers = { 'idempotency-key': name };
      const added = await this.attempt(201, () => this.client.post('/v1/pets', { name, categoryId: 1 }, { headers }));
      if (added === undefined) continue;
      const { id } = added.json<{ id: number }>();
      this.acknowledged.push({ id, name });
      await this.attempt(200, () => this.client.get(`/v1/pets?ids=${id}`));
    }
  }

  private async attempt(expected: number, send: () => Promise<Answer>): Promise<Answer | undefined> {
    for (let attempt = 1; attempt <= this.attempts; attempt += 1) {
      const answer = await send().catch((error: unknown) => String(error));
      if (typeof answer !== 'string' && answer.status === expected) return answer;
      this.failures.push(typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`);
    }
    return undefined;
  }
}
