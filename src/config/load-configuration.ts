import { readFileSync } from 'node:fs';
import type { DatabaseLocation, PostgresSettings } from '#libs/database';
import { ConfigurationError, type Configuration, type Deployment } from './configuration.js';
import { VERSION } from './version.js';
import { variables, type Variable, type VariableName } from './variables.js';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from environment variables. Instead of `NAME`, `NAME_FILE` may name a file that holds the value.
 * @throws ConfigurationError that names every mistake at once.
 */
export function loadConfiguration(environment: Environment): Configuration {
  const problems: string[] = [];
  const read = <Name extends VariableName>(name: Name) => {
    try {
      return readVariable(name, environment);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
      // Never seen: a configuration with a problem is not returned.
      return undefined as never;
    }
  };
  const [host, port, deployment] = [read('HOST'), read('PORT'), read('DEPLOYMENT')];
  const database = withSettings(read('DATABASE_URL'), {
    applicationName: `animal-adoption/${VERSION}`,
    migrationUrl: read('MIGRATION_DATABASE_URL'),
    poolSize: read('DATABASE_POOL_SIZE'),
    timeout: read('DATABASE_TIMEOUT_MILLISECONDS'),
  });
  const [redisUrl, keyPrefix] = [read('REDIS_URL'), read('REDIS_KEY_PREFIX')];
  const [consoleSwitch, consolePassword] = [read('CONSOLE') ?? (deployment === 'development' ? 'on' : 'off'), read('CONSOLE_PASSWORD')];
  const configuration: Configuration = {
    host,
    port,
    management: readManagement(read, deployment),
    console: consoleSwitch === 'on' ? { password: consolePassword } : undefined,
    deployment,
    database,
    baseUrls: { production: read('BASE_URL_PRODUCTION'), staging: read('BASE_URL_STAGING') },
    trustProxy: read('TRUST_PROXY'),
    bodyLimitBytes: read('BODY_LIMIT_BYTES'),
    corsOrigins: read('CORS_ORIGINS'),
    rateLimits: {
      anonymous: { perMinute: read('ANONYMOUS_REQUESTS_PER_MINUTE'), perDay: read('ANONYMOUS_REQUESTS_PER_DAY') },
      open: { perMinute: read('PUBLIC_REQUESTS_PER_MINUTE'), perDay: read('PUBLIC_REQUESTS_PER_DAY') },
      bans: { after: read('BAN_AFTER'), grace: read('BAN_GRACE_SECONDS'), ladder: read('BAN_LADDER_SECONDS') },
      createBurstPerSecond: read('CREATE_BURST_PER_SECOND'),
    },
    ...(redisUrl !== undefined && { redis: { url: redisUrl, keyPrefix } }),
    feed: { streams: read('FEED_STREAMS'), streamsPerKey: read('FEED_STREAMS_PER_KEY'), streamLifetime: read('FEED_STREAM_MINUTES') },
    graphql: { introspection: read('GRAPHQL_INTROSPECTION') ?? deployment !== 'production' },
    idempotencyRetention: read('IDEMPOTENCY_RETENTION_HOURS'),
    orderReservation: read('ORDER_RESERVATION_MINUTES'),
    webhooks: {
      perKey: read('WEBHOOKS_PER_KEY'),
      allowedPorts: read('WEBHOOK_ALLOW'),
      allowLoopback: read('WEBHOOK_ALLOW_LOOPBACK') ?? false,
      retryDelays: read('WEBHOOK_RETRY_SECONDS'),
      timeout: read('WEBHOOK_TIMEOUT_SECONDS'),
      disableAfter: read('WEBHOOK_DISABLE_AFTER_SECONDS'),
    },
    shutdownGrace: read('SHUTDOWN_GRACE_SECONDS'),
    logLevel: read('LOG_LEVEL'),
    logFormat: read('LOG_FORMAT'),
    logsClientAddress: read('LOG_CLIENT_ADDRESS') === 'on',
    ...readTracing(read),
  };
  problems.push(...problemsTogether(configuration));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return configuration;
}

/** How the service speaks while it has no configuration: as its variables say, by their defaults where one of them is wrong. */
export function loadLogSettings(environment: Environment): Pick<Configuration, 'logFormat' | 'logLevel'> {
  const read = <Name extends 'LOG_FORMAT' | 'LOG_LEVEL'>(name: Name) => {
    try {
      return readVariable(name, environment);
    } catch {
      return readVariable(name, {});
    }
  };
  return { logFormat: read('LOG_FORMAT'), logLevel: read('LOG_LEVEL') };
}

/** @throws Error whose message goes on from the variable's name */
function readVariable<Name extends VariableName>(name: Name, environment: Environment): ReturnType<(typeof variables)[Name]['read']> {
  const { default: defaultText, read } = variables[name] as Variable<ReturnType<(typeof variables)[Name]['read']>>;
  return read(textOf(name, environment) ?? defaultText);
}

type Read = <Name extends VariableName>(name: Name) => ReturnType<(typeof variables)[Name]['read']>;

function readManagement(read: Read, deployment: Deployment): Configuration['management'] {
  const [host, port] = [read('MANAGEMENT_HOST'), read('MANAGEMENT_PORT')];
  return port === undefined ? undefined : { host, port, checksHost: deployment === 'development' };
}

/** The path is added to the common endpoint alone: https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp */
function readTracing(read: Read): Pick<Configuration, 'tracing'> {
  const [endpoint, own] = [read('OTEL_EXPORTER_OTLP_ENDPOINT'), read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')];
  const headers = read('OTEL_EXPORTER_OTLP_HEADERS');
  const [sampler, ratio] = [read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG')];
  const url = own ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
  return url === undefined ? {} : { tracing: { url, headers, sampler, ratio } };
}

/** What is wrong though each value may be. */
function problemsTogether({ console, deployment, management, webhooks }: Configuration): string[] {
  const isForOthers = deployment === 'staging' || deployment === 'production';
  return [
    ...(deployment === 'production' && webhooks.allowLoopback
      ? ['WEBHOOK_ALLOW_LOOPBACK must not be true in production, where it would turn messages against this machine']
      : []),
    ...(console && isForOthers && console.password === undefined
      ? [`CONSOLE_PASSWORD must be set, or CONSOLE_PASSWORD_FILE, where CONSOLE is on in ${deployment}`]
      : []),
    ...(console && isForOthers && !management ? ['CONSOLE must be off where MANAGEMENT_PORT is, which would serve it'] : []),
  ];
}

/** The settings of a server mean nothing for a file. */
function withSettings(
  location: DatabaseLocation | undefined,
  { migrationUrl, ...settings }: Omit<PostgresSettings, 'migrationUrl'> & { readonly migrationUrl: string | undefined },
): DatabaseLocation {
  // Never seen: a configuration with a problem is not returned.
  if (location === undefined) return undefined as never;
  if (location.kind === 'sqlite') return location;
  return { ...location, ...settings, ...(migrationUrl !== undefined && { migrationUrl }) };
}

/** An empty variable counts as not set, as `NAME=` in an environment file means it. */
function textOf(name: VariableName, environment: Environment): string | undefined {
  const value = environment[name] || undefined;
  const file = environment[`${name}_FILE`] || undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new Error(`is set both by itself and by ${name}_FILE; set one of them`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '') || undefined;
  } catch (error) {
    throw new Error(`cannot be read from ${name}_FILE: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
