/** A host of the tests, where programs can be started: this machine, or one that a network of their own makes of it. */
export interface ServerHost {
  /** Where programs find what listens there. */
  readonly address: string;
  /** What a command begins with that runs there. */
  readonly enter: readonly string[];
}

export const THIS_MACHINE: ServerHost = { address: '127.0.0.1', enter: [] };
