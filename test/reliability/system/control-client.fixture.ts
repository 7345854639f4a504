import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';

const CONNECTING_MILLISECONDS = 1_000;

/**
 * Asks one thing over and over until the test is over, and measures by its answers how much time others had. Its time is never
 * ahead of the real one, and stands while what it asks gets no processor: what a busy machine adds to both is not in it.
 */
export class ControlClient {
  private readonly answeredAt: number[] = [];
  private isOver = false;

  /** `ask` rejects where there is no answer; `pause` is how many milliseconds lie between an answer and the next question. */
  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly pause: number,
  ) {
    closeAtEnd(() => (this.isOver = true));
    void this.run();
  }

  /** The milliseconds that the answers took at least which it got between two moments of `performance.now()`. */
  millisecondsBetween(begun: number, ended: number): number {
    const answers = this.answeredAt.filter((moment) => moment > begun && moment <= ended).length;
    return Math.max(0, answers - 1) * this.pause;
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const answered = await this.ask().then(
        () => true,
        () => false,
      );
      if (answered) this.answeredAt.push(performance.now());
      await delay(this.pause);
    }
  }
}

/** Asks a service for what needs nothing but the service itself. */
export function controlOfService(origin: string): ControlClient {
  const client = new ApiClient(origin, '');
  return new ControlClient(() => client.get('/health/live', { key: null }), 50);
}

/** Connects to a PostgreSQL server as often, and with as much patience, as a service that has lost it. */
export function controlOfPostgres(url: string): ControlClient {
  const patience = { connectionTimeoutMillis: CONNECTING_MILLISECONDS, query_timeout: CONNECTING_MILLISECONDS };
  const pool = new pg.Pool({ connectionString: url, ...patience, maxUses: 1 });
  pool.on('error', () => undefined);
  closeAtEnd(() => pool.end());
  return new ControlClient(() => pool.query('SELECT 1'), 250);
}
