import fc from 'fast-check';
import { Clock, Timers } from '#libs/observability';
import { LivenessError } from './verdicts.js';

const BEGINNING = Date.parse('2026-06-01T12:00:00.000Z');
const LONGEST_MILLISECONDS = 3_600_000;
const LOOK_MILLISECONDS = 100;

interface Timer {
  readonly at: number;
  /** Decides between timers of the same time. */
  readonly rank: number;
  readonly action: () => void;
}

/**
 * Timers of a time that passes only when nothing else can run: it then jumps to the next timer. Whatever is left to chance follows from the
 * seed, so a run can be repeated. Nothing that runs may wait for anything but timers, promises and turns of the event loop.
 */
export class VirtualTimers extends Timers {
  /** What time it is for everybody, as by the clock of a database. */
  readonly clock: Clock = new VirtualClock(() => new Date(BEGINNING + Math.floor(this.time)));
  /** By how many milliseconds a timer may be late, each by a random share of it. */
  lateness = 0;
  private readonly pending = new Set<Timer>();
  private time = 0;

  constructor(private state: number) {
    super();
  }

  now(): number {
    return this.time;
  }

  /** Returns a random number from 0 to 1, below 1 (mulberry32). */
  random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns a random integer of a range, both ends included. */
  integer(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  /**
   * Lets time pass until `work` has settled.
   * @throws LivenessError if it waits for what no timer brings, or has not settled after an hour of this time
   */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    const progress = { isOver: false };
    const noteEnd = () => (progress.isOver = true);
    work.then(noteEnd, noteEnd);
    const until = this.time + LONGEST_MILLISECONDS;
    for (;;) {
      await nothingRuns();
      if (progress.isOver) return work;
      const next = this.earliest();
      if (!next) throw new LivenessError('nothing is left to run, and no timer either.');
      if (next.at > until) throw new LivenessError('it still runs after an hour of virtual time.');
      this.pending.delete(next);
      this.time = Math.max(this.time, next.at);
      next.action();
    }
  }

  /** Resolves when it is so, asking every 100 milliseconds of this time. */
  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await this.sleep(LOOK_MILLISECONDS);
  }

  protected start(milliseconds: number, action: () => void): () => void {
    const at = this.time + Math.max(milliseconds, 0) + this.random() * this.lateness;
    const timer = { at, rank: this.random(), action };
    this.pending.add(timer);
    return () => this.pending.delete(timer);
  }

  private earliest(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.pending) {
      if (!first || timer.at < first.at || (timer.at === first.at && timer.rank < first.rank)) first = timer;
    }
    return first;
  }
}

class VirtualClock extends Clock {
  constructor(override readonly now: () => Date) {
    super();
  }
}

/** Resolves when all promises that can settle by themselves have, and all turns of the event loop that were asked for are over. */
function nothingRuns(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      // Not this one, which has begun.
      if (process.getActiveResourcesInfo().includes('Immediate')) setImmediate(look);
      else resolve();
    };
    setImmediate(look);
  });
}

/** Runs a scenario in virtual time with as many seeds. A failure names the seed. */
export function simulate(seeds: number, scenario: (timers: VirtualTimers) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(fc.noShrink(fc.noBias(fc.nat())), async (seed) => {
    const timers = new VirtualTimers(seed);
    await timers.run(scenario(timers));
  });
  return fc.assert(property, { numRuns: seeds });
}
