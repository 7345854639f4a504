import type { DatabaseLocation } from '#libs/database';
import type { ManagementAddress } from '#libs/operations';
import type { TracingSettings } from '#libs/tracing';

export const DEPLOYMENTS = ['development', 'staging', 'production'] as const;
export type Deployment = (typeof DEPLOYMENTS)[number];

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['auto', 'json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Everything that may differ between two runs of the service, checked and typed. */
export interface Configuration {
  readonly host: string;
  readonly port: number;
  /** Where operators and their tools ask; undefined where nobody may. */
  readonly management: ManagementAddress | undefined;
  /** The operators' page on the management port, and what it asks for; undefined where there is none. */
  readonly console: { readonly password: string | undefined } | undefined;
  readonly deployment: Deployment;
  readonly database: DatabaseLocation;
  readonly baseUrls: { readonly production: string; readonly staging: string };
  /** As Fastify means it: nobody, everybody, a number of hops, or addresses and networks. */
  readonly trustProxy: boolean | number | string[];
  readonly bodyLimitBytes: number;
  readonly corsOrigins: readonly string[];
  readonly rateLimits: RateLimitConfiguration;
  /** Where several instances count requests together; undefined: in the process. */
  readonly redis?: {
    readonly url: string;
    /** What the names of all keys begin with. */
    readonly keyPrefix: string;
  };
  /** Streams of events that may be open at once, in all and of one key, and milliseconds for which each is. */
  readonly feed: { readonly streams: number; readonly streamsPerKey: number; readonly streamLifetime: number };
  readonly graphql: {
    /** Whether the schema may be asked for. */
    readonly introspection: boolean;
  };
  /** Milliseconds for which an `Idempotency-Key` is kept. */
  readonly idempotencyRetention: number;
  /** Milliseconds for which an order that nobody has approved holds its animal. */
  readonly orderReservation: number;
  readonly webhooks: WebhookConfiguration;
  /** Where traces go to; undefined: there are none. */
  readonly tracing?: TracingSettings;
  /** Milliseconds within which the service ends after it was told to. */
  readonly shutdownGrace: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Whether the log tells the client address of what is refused. */
  readonly logsClientAddress: boolean;
}

/** To how many endpoints messages are sent, and how. Times are in milliseconds. */
export interface WebhookConfiguration {
  /** How many endpoints one API key may have. */
  readonly perKey: number;
  /** Ports beyond 443 and 8443 that may be sent to. */
  readonly allowedPorts: readonly number[];
  /** Lets messages be sent to this machine; never in production. */
  readonly allowLoopback: boolean;
  /** After the first, second, … attempt until the next one. */
  readonly retryDelays: readonly number[];
  /** Within which a receiver must have answered. */
  readonly timeout: number;
  /** For which all attempts may fail until an endpoint is disabled. */
  readonly disableAfter: number;
}

/** What is limited beside the plans of API keys. */
export interface RateLimitConfiguration {
  /** For all callers without a valid key at one client address together. */
  readonly anonymous: { readonly perMinute: number; readonly perDay: number };
  /** For all requests from one client address for what is open to everybody, with a key or without. */
  readonly open: { readonly perMinute: number; readonly perDay: number };
  /** `after`: refusals in a minute that do not ban yet, 0 for no bans; `grace` and `ladder` in milliseconds. */
  readonly bans: { readonly after: number; readonly grace: number; readonly ladder: readonly number[] };
  /** 0: no limit of its own. */
  readonly createBurstPerSecond: number;
}

/** Mistakes in the configuration, all of them, each naming its variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration has mistakes:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}
