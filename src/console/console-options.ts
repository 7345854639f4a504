import type { Deployment } from '../auth/index.js';

export const CONSOLE_OPTIONS = Symbol('ConsoleOptions');

export interface ConsoleOptions {
  readonly deployment: Deployment;
  /** Undefined: everybody is let in. */
  readonly password: string | undefined;
  /** Whether the log names the address that wrong passwords came from. */
  readonly logsClientAddress: boolean;
}
