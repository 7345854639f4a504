import { settledWithin } from '#libs/clock';
import type { HealthPart, PartState } from './health-part.js';

const PATIENCE_MILLISECONDS = 800;

/** A part that is looked at by one check at a time, which nobody waits for longer than 800 ms. */
export class WatchedPart {
  private running: { readonly result: Promise<PartState>; readonly startedAt: number } | undefined;

  constructor(private readonly part: HealthPart) {}

  get name(): string {
    return this.part.name;
  }

  /** Joins the check that is under way. One that has not answered for too long counts as `unavailable` until it does. */
  async state(): Promise<PartState> {
    const { result, startedAt } = (this.running ??= { result: this.check(), startedAt: performance.now() });
    const patience = startedAt + PATIENCE_MILLISECONDS - performance.now();
    return (await settledWithin(result, Math.max(0, patience))) ? result : NO_ANSWER;
  }

  private async check(): Promise<PartState> {
    try {
      return await this.part.check();
    } catch (error) {
      return { state: 'unavailable', detail: error instanceof Error ? error.message : String(error) };
    } finally {
      this.running = undefined;
    }
  }
}

const NO_ANSWER: PartState = { state: 'unavailable', detail: `no answer within ${PATIENCE_MILLISECONDS} ms` };
