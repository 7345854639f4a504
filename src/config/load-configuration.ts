import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { DatabaseLocation } from '#libs/database';
import type { TracingSettings } from '#libs/observability';
import { environmentSchema, hasConsole, variables, type VariableName } from './variables.js';
import { VERSION } from './version.js';

type Environment = Readonly<Record<string, string | undefined>>;
type Values = z.output<typeof environmentSchema>;

/** Everything that may differ between two runs of the service, checked and typed. Times are in milliseconds. */
export type Configuration = ReturnType<typeof toConfiguration>;

/** All mistakes in the configuration, each naming its variable. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration has mistakes:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Reads the configuration from environment variables. Instead of `NAME`, `NAME_FILE` may name a file that holds the value.
 * @throws ConfigurationError that names every mistake at once.
 */
export function loadConfiguration(environment: Environment): Configuration {
  const { texts, problems } = readTexts(environment);
  const { data, error } = environmentSchema.safeParse(texts);
  for (const { path, message } of error?.issues ?? []) {
    const [name, entry] = path;
    problems.push(`${String(name)} ${message}${typeof entry === 'number' ? ` (entry ${entry + 1})` : ''}`);
  }
  if (!data || problems.length > 0) throw new ConfigurationError(problems);
  return toConfiguration(data);
}

/** Reads how to log while there is no configuration yet: as its variables say, by their defaults if one of them is wrong. */
export function loadLogSettings(environment: Environment): Pick<Configuration, 'logFormat' | 'logLevel'> {
  const { texts } = readTexts(environment);
  const { LOG_FORMAT, LOG_LEVEL } = environmentSchema.shape;
  return {
    logFormat: LOG_FORMAT.safeParse(texts.LOG_FORMAT).data ?? LOG_FORMAT.parse(undefined),
    logLevel: LOG_LEVEL.safeParse(texts.LOG_LEVEL).data ?? LOG_LEVEL.parse(undefined),
  };
}

/** An empty variable counts as not set, as `NAME=` in an environment file means it. */
function readTexts(environment: Environment): { readonly texts: Partial<Record<VariableName, string>>; readonly problems: string[] } {
  const texts: Partial<Record<VariableName, string>> = {};
  const problems: string[] = [];
  for (const name of Object.keys(variables) as VariableName[]) {
    const [value, file] = [environment[name], environment[`${name}_FILE`]];
    if (value && file) problems.push(`${name} is set both by itself and by ${name}_FILE; set one of them`);
    try {
      const text = file ? readFileSync(file, 'utf8').replace(/\r?\n$/, '') : value;
      if (text) texts[name] = text;
    } catch (error) {
      problems.push(`${name} cannot be read from ${name}_FILE: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { texts, problems };
}

function toConfiguration(values: Values) {
  const { DEPLOYMENT: deployment, MANAGEMENT_PORT: managementPort, REDIS_URL: redisUrl } = values;
  return {
    host: values.HOST,
    port: values.PORT,
    /** The address for operators and their tools; undefined if there is none. */
    management:
      managementPort === undefined
        ? undefined
        : { host: values.MANAGEMENT_HOST, port: managementPort, checksHost: deployment === 'development' },
    /** The operators' page on the management port, and its password; undefined if there is none. */
    console: hasConsole(values) ? { password: values.CONSOLE_PASSWORD } : undefined,
    deployment,
    database: toDatabase(values),
    baseUrls: { production: values.BASE_URL_PRODUCTION, staging: values.BASE_URL_STAGING },
    trustProxy: values.TRUST_PROXY,
    bodyLimitBytes: values.BODY_LIMIT_BYTES,
    corsOrigins: values.CORS_ORIGINS,
    rateLimits: {
      /** For all callers without a valid key at one client address together. */
      anonymous: { perMinute: values.ANONYMOUS_REQUESTS_PER_MINUTE, perDay: values.ANONYMOUS_REQUESTS_PER_DAY },
      /** For all requests from one client address to public routes, with a key or without. */
      open: { perMinute: values.PUBLIC_REQUESTS_PER_MINUTE, perDay: values.PUBLIC_REQUESTS_PER_DAY },
      /** `after`: rejections in a minute that do not ban yet, 0 for no bans. */
      bans: { after: values.BAN_AFTER, grace: values.BAN_GRACE_SECONDS, ladder: values.BAN_LADDER_SECONDS },
      /** 0: no limit of its own. */
      createBurstPerSecond: values.CREATE_BURST_PER_SECOND,
    },
    /** Where several instances count requests together; absent: in the process. */
    ...(redisUrl !== undefined && { redis: { url: redisUrl, keyPrefix: values.REDIS_KEY_PREFIX } }),
    /** Streams of events that may be open at once, in all and of one key, and how long each may last. */
    feed: { streams: values.FEED_STREAMS, streamsPerKey: values.FEED_STREAMS_PER_KEY, streamLifetime: values.FEED_STREAM_MINUTES },
    graphql: { introspection: values.GRAPHQL_INTROSPECTION ?? deployment !== 'production' },
    idempotencyRetention: values.IDEMPOTENCY_RETENTION_HOURS,
    orderReservation: values.ORDER_RESERVATION_MINUTES,
    webhooks: {
      perKey: values.WEBHOOKS_PER_KEY,
      /** Ports allowed beside 443 and 8443. */
      allowedPorts: values.WEBHOOK_ALLOW,
      allowLoopback: values.WEBHOOK_ALLOW_LOOPBACK,
      /** After the first, second, … attempt until the next one. */
      retryDelays: values.WEBHOOK_RETRY_SECONDS,
      timeout: values.WEBHOOK_TIMEOUT_SECONDS,
      disableAfter: values.WEBHOOK_DISABLE_AFTER_SECONDS,
    },
    shutdownGrace: values.SHUTDOWN_GRACE_SECONDS,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    logsClientAddress: values.LOG_CLIENT_ADDRESS === 'on',
    ...toTracing(values),
  };
}

/** The settings of a server mean nothing for a file. */
function toDatabase(values: Values): DatabaseLocation {
  const { DATABASE_URL: location, MIGRATION_DATABASE_URL: migrationUrl } = values;
  if (location.kind === 'sqlite') return location;
  return {
    ...location,
    applicationName: `animal-adoption/${VERSION}`,
    poolSize: values.DATABASE_POOL_SIZE,
    timeout: values.DATABASE_TIMEOUT_MILLISECONDS,
    ...(migrationUrl !== undefined && { migrationUrl }),
  };
}

/** Only the common endpoint gets the path: https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp */
function toTracing(values: Values): { readonly tracing?: TracingSettings } {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers } = values;
  const url = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined) return {};
  return { tracing: { url, headers, sampler: values.OTEL_TRACES_SAMPLER, ratio: values.OTEL_TRACES_SAMPLER_ARG } };
}
