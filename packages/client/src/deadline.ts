/** The signal of one attempt: aborted by its caller, and when its time is over. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#caller?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timeout with so many milliseconds from now on. */
  set(milliseconds: number, error: Error): void {
    this.clear();
    this.#timer = setTimeout(() => this.#controller.abort(error), milliseconds);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  /** Aborts a pending attempt, and releases the caller's signal. */
  end(): void {
    this.clear();
    this.#caller?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
  }
}
