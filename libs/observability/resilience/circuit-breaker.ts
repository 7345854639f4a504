import { systemTimers, type Timers } from '../clock/timers.js';

export interface CircuitBreakerOptions {
  /** Probes the server; resolves when it answers. */
  readonly probe: () => Promise<void>;
  /** Milliseconds from the opening to the first probe, and from a probe that failed to the next. */
  readonly pause: number;
  /** Milliseconds after which a probe that has not ended has failed. */
  readonly timeoutMilliseconds: number;
  /** Called once for each opening, with the cause. */
  readonly onOpen: (cause: unknown) => void;
  /** Called once for each opening, when the server is back. */
  readonly onClose: () => void;
}

/**
 * A circuit breaker for one server: closed while the server answers; open once it is known not to, so that no request waits for it any
 * more; half-open while a probe in the background asks it again, one at a time and on behalf of all. It begins closed. The code that uses
 * the server reports its loss.
 */
export class CircuitBreaker {
  private probing: AbortController | undefined;
  private isEnded = false;

  constructor(
    private readonly options: CircuitBreakerOptions,
    private readonly timers: Timers = systemTimers,
  ) {}

  /** Whether nobody but a probe is to ask the server. */
  get isOpen(): boolean {
    return this.probing !== undefined;
  }

  /** The server is lost. Does nothing where that is known already. */
  open(cause: unknown): void {
    if (this.probing) return;
    this.probing = new AbortController();
    this.options.onOpen(cause);
    if (!this.isEnded) void this.probeUntilClosed(this.probing.signal);
  }

  /** Records an answer of the server, to a probe or another request. Does nothing if it was not lost. */
  close(): void {
    if (!this.probing) return;
    this.probing.abort();
    this.probing = undefined;
    this.options.onClose();
  }

  /** Ends the probing permanently; opening and closing are still reported. */
  end(): void {
    this.isEnded = true;
    this.probing?.abort();
  }

  private async probeUntilClosed(signal: AbortSignal): Promise<void> {
    const { probe, pause, timeoutMilliseconds } = this.options;
    const isOver = () => signal.aborted;
    while (!isOver()) {
      await this.timers.sleep(pause, { ref: false, signal });
      if (isOver()) return;
      const outcome = await this.timers.within(probe(), timeoutMilliseconds);
      if (outcome === 'fulfilled' && !isOver()) this.close();
    }
  }
}
