import { setMaxListeners } from 'node:events';
import { ExchangeFailedError } from './outgoing-http.errors.js';

/** What ends an exchange from outside, whatever the other side does: its time is up, its caller gives it up, or all are stopped. */
export class ExchangeEnd {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly giveUp = () => this.end('given up before an answer');

  constructor(
    timeoutMilliseconds: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(() => this.end(`no complete answer within ${timeoutMilliseconds / 1_000} s`), timeoutMilliseconds);
    // One signal may give up many exchanges, which is no leak to warn of.
    if (caller) setMaxListeners(0, caller);
    caller?.addEventListener('abort', this.giveUp, { once: true });
    if (caller?.aborted) this.giveUp();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Ends it for this reason, unless it has ended before. */
  end(reason: string): void {
    this.controller.abort(new ExchangeFailedError(reason));
  }

  /** Settles as this work does; where the end comes first, rejects with its reason at once, and the work is left to itself. */
  async before<T>(work: Promise<T>): Promise<T> {
    const ended = new Promise<never>((_resolve, reject) => {
      const tell = () => reject(this.signal.reason as ExchangeFailedError);
      if (this.signal.aborted) tell();
      else this.signal.addEventListener('abort', tell, { once: true });
    });
    return Promise.race([ended, work]);
  }

  /** To be called once the exchange is over: no end comes any more. */
  release(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.giveUp);
  }
}
