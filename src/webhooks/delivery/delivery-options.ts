/** How messages are sent to endpoints. */
export interface DeliveryOptions {
  /** Ports beyond 443 and 8443 that may be sent to. */
  readonly allowedPorts: readonly number[];
  /** Lets `http` and every port of this machine through; for development. */
  readonly allowLoopback: boolean;
  /** Milliseconds after the first, second, … attempt until the next one. */
  readonly retryDelays: readonly number[];
  /** Milliseconds within which a receiver must have answered. */
  readonly timeout: number;
  /** Milliseconds for which all attempts may fail until the endpoint is disabled. */
  readonly disableAfter: number;
}

export const DELIVERY_OPTIONS = Symbol('how messages are sent to endpoints');
export const DELIVERS = Symbol('whether this process sends to endpoints');
