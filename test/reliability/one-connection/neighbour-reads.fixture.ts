import { setTimeout as delay } from 'node:timers/promises';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';

const PAUSE_MILLISECONDS = 10;
const PAGE_SIZES = 50;
const LEAST_SHARE = 0.95;

/** How many reads there were, and how many of them were answered with what they asked for. */
export interface ReadCount {
  readonly reads: number;
  readonly answered: number;
}

/** A client that reads one page after another, whatever becomes of others. */
export class NeighbourReads {
  private readonly seen: { readonly begun: number; readonly status: number }[] = [];
  private readonly client: ApiClient;
  private readonly running: Promise<void>;
  private stopping = false;

  constructor(origin: string, key: string) {
    this.client = new ApiClient(origin, key);
    this.running = this.run();
    // Awaited in stop; until then a failure must not end the process.
    this.running.catch(() => undefined);
    closeAtEnd(() => (this.stopping = true));
  }

  /** Of the reads that were begun within this time, on the time line of `performance.now()`, those that have ended. */
  between(from: number, to: number): ReadCount {
    const within = this.seen.filter(({ begun }) => begun >= from && begun <= to);
    return { reads: within.length, answered: within.filter(({ status }) => status === 200).length };
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  private async run(): Promise<void> {
    for (let number = 0; !this.stopping; number += 1) {
      const begun = performance.now();
      // Pages of many sizes, so that few are answered without the database.
      const { status } = await this.client.get(`/v1/pets?limit=${1 + (number % PAGE_SIZES)}`);
      this.seen.push({ begun, status });
      await delay(PAUSE_MILLISECONDS);
    }
  }
}

export function sumOf(counts: readonly ReadCount[]): ReadCount {
  return counts.reduce((sum, { reads, answered }) => ({ reads: sum.reads + reads, answered: sum.answered + answered }), {
    reads: 0,
    answered: 0,
  });
}

/** One sentence where fewer reads were answered than have to be while one connection is concerned. */
export function tooFewAnswered({ reads, answered }: ReadCount): string[] {
  return answered < LEAST_SHARE * reads ? [`of ${reads} reads only ${answered} were answered with what they asked for`] : [];
}
