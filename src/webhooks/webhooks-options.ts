/** Injection token of the options of the module. */
export const WEBHOOKS_OPTIONS = Symbol('WEBHOOKS_OPTIONS');

export interface WebhooksOptions {
  /** Whether this process sends events to endpoints; the command line does not. */
  readonly polls: boolean;
  readonly webhooks: {
    /** How many endpoints one API key may have. */
    readonly perKey: number;
    /** Ports that endpoints may have besides 443 and 8443. */
    readonly allowedPorts: readonly number[];
    /** Whether endpoints may be on this machine, at any port and with `http`; for development. */
    readonly allowLoopback: boolean;
    /** Milliseconds after the first, second, … attempt until the next one. */
    readonly retryDelays: readonly number[];
    /** Milliseconds within which a receiver must respond. */
    readonly timeout: number;
    /** Milliseconds for which all attempts may fail until the endpoint is disabled. */
    readonly disableAfter: number;
  };
}
