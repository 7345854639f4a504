import { parseDatabaseUrl, parsePostgresUrl } from '#libs/database';
import { SAMPLERS } from '#libs/tracing';
import { DEPLOYMENTS, LOG_FORMATS, LOG_LEVELS } from './configuration.js';
import {
  hours,
  integer,
  minutes,
  oneOf,
  optional,
  readBaseUrl,
  readHeaders,
  readKeyPrefix,
  readOrigins,
  readPorts,
  readRatio,
  readRedisUrl,
  readSwitch,
  readText,
  readTrustProxy,
  readUrl,
  seconds,
  secondsList,
  unlessOff,
  type ValueReader,
} from './value-readers.js';

/** One environment variable: what it is for, what it is when not set, and how its text is read. */
export interface Variable<Value> {
  readonly default: string;
  readonly description: string;
  readonly read: ValueReader<Value>;
}

function variable<Value>(defaultText: string, read: ValueReader<Value>, description: string): Variable<Value> {
  return { default: defaultText, description, read };
}

const DATABASE_URL = 'sqlite:./data/adoption.sqlite';
const LARGEST_LIMIT = 1_000_000_000;
const YEAR_SECONDS = 31_536_000;

/** All environment variables. The README's table and `.env.example` are checked against this. */
export const variables = {
  HOST: variable('127.0.0.1', readText, 'Address to listen on'),
  PORT: variable('3000', integer(0, 65_535), 'Port to listen on; 0 takes a free one'),
  MANAGEMENT_HOST: variable('127.0.0.1', readText, 'Address of the management port'),
  MANAGEMENT_PORT: variable(
    '9464',
    unlessOff(integer(0, 65_535)),
    'Port for metrics and the state of each part, without authentication: keep it private; 0 takes a free one, `off` for none',
  ),
  CONSOLE: variable(
    '',
    optional(oneOf(['on', 'off'])),
    "Whether the management port serves `/console`, the operators' page: `on` or `off`; when not set, in development alone",
  ),
  CONSOLE_PASSWORD: variable(
    '',
    optional(readText),
    'What `/console` asks for, with any user name; needed where it is on but in development',
  ),
  DEPLOYMENT: variable('development', oneOf(DEPLOYMENTS), '`development`, `staging` or `production`; a key works in its own alone'),
  DATABASE_URL: variable(
    DATABASE_URL,
    (text) => parseDatabaseUrl(text, DATABASE_URL),
    'Where the data is: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:5432/DATABASE`, with commas between several hosts',
  ),
  MIGRATION_DATABASE_URL: variable(
    '',
    optional(parsePostgresUrl),
    'The same PostgreSQL database as the role that owns its tables, for migrations alone; when not set, `DATABASE_URL`',
  ),
  DATABASE_POOL_SIZE: variable('8', integer(1, 1_000), 'Connections to PostgreSQL for reading; two more are for writing'),
  DATABASE_TIMEOUT_MILLISECONDS: variable(
    '1500',
    integer(100, 60_000),
    'How long the service waits for a connection, a lock or a statement of PostgreSQL until it answers 503',
  ),
  BASE_URL_PRODUCTION: variable('https://api.adoption.example/v1', readBaseUrl, 'Public address of production, for the OpenAPI document'),
  BASE_URL_STAGING: variable('https://staging.adoption.example/v1', readBaseUrl, 'Public address of staging, for the OpenAPI document'),
  TRUST_PROXY: variable('false', readTrustProxy, 'Whose `X-Forwarded-For` to believe: `false`, `true`, hops, or addresses and networks'),
  BODY_LIMIT_BYTES: variable('65536', integer(1_024, 16_777_216), 'Largest request body in bytes'),
  CORS_ORIGINS: variable('', readOrigins, 'Origins that may call from a browser, separated by commas; `*` for any'),
  ANONYMOUS_REQUESTS_PER_MINUTE: variable('60', integer(1, LARGEST_LIMIT), 'Requests without a valid key from one address in a minute'),
  ANONYMOUS_REQUESTS_PER_DAY: variable('1000', integer(1, LARGEST_LIMIT), 'Requests without a valid key from one address in a day'),
  PUBLIC_REQUESTS_PER_MINUTE: variable(
    '300',
    integer(1, LARGEST_LIMIT),
    'Requests from one address in a minute for what is open to everybody, such as `/docs` and `/openapi.json`',
  ),
  PUBLIC_REQUESTS_PER_DAY: variable('20000', integer(1, LARGEST_LIMIT), 'The same in a day'),
  BAN_AFTER: variable('10', integer(0, 1_000_000), 'Refusals in a minute that do not ban a key yet; 0 turns bans off'),
  BAN_GRACE_SECONDS: variable('2', seconds(0, 60), 'Seconds after the first refusal of a minute in which refusals do not count'),
  BAN_LADDER_SECONDS: variable('60,300,900,3600', secondsList(YEAR_SECONDS), 'How long the first, second, … ban lasts; the last repeats'),
  CREATE_BURST_PER_SECOND: variable('0', integer(0, 1_000_000), 'Animals that one key may add in a second; 0 for no limit of its own'),
  REDIS_URL: variable(
    '',
    optional(readRedisUrl),
    'Where several instances count requests together: `redis://USER:PASSWORD@HOST:6379/0`, `rediss://` for TLS, or ' +
      '`redis+sentinel://HOST:26379,HOST:26379/NAME`',
  ),
  REDIS_KEY_PREFIX: variable('adoption:', readKeyPrefix, 'What the names of all keys in Redis begin with; another for each deployment'),
  GRAPHQL_INTROSPECTION: variable(
    '',
    readSwitch,
    'Whether `/graphql` tells its schema, `true` or `false`; when not set, everywhere but in production',
  ),
  IDEMPOTENCY_RETENTION_HOURS: variable(
    '48',
    hours(24, 8_760),
    'How long an `Idempotency-Key` is remembered; clients are promised 24 hours',
  ),
  ORDER_RESERVATION_MINUTES: variable(
    '1440',
    minutes(525_600),
    'How long an order that nobody has approved holds its animal, in minutes; a decimal number such as 0.5',
  ),
  FEED_STREAMS: variable('2000', integer(1, 1_000_000), 'Streams of events that may be open at this instance at once'),
  FEED_STREAMS_PER_KEY: variable('10', integer(1, 1_000_000), 'The same of one key'),
  FEED_STREAM_MINUTES: variable(
    '60',
    minutes(525_600),
    'After how long a stream ends, so that its client comes again, perhaps to another instance; a decimal number such as 0.5',
  ),
  WEBHOOKS_PER_KEY: variable('100', integer(1, 10_000), 'How many webhook endpoints one key may have'),
  WEBHOOK_ALLOW: variable('', readPorts, 'Ports that webhook endpoints may have beside 443 and 8443, such as `9443,10443`'),
  WEBHOOK_ALLOW_LOOPBACK: variable(
    'false',
    readSwitch,
    'Whether webhook endpoints may be on this machine, at any port and with `http` too: `true` for development alone, `false` in production',
  ),
  WEBHOOK_RETRY_SECONDS: variable(
    '5,300,1800,7200,18000,36000,50400,72000,86400',
    secondsList(YEAR_SECONDS),
    'After how long the second, third, … attempt to send an event is made; after the last one it is given up',
  ),
  WEBHOOK_TIMEOUT_SECONDS: variable('15', seconds(1, 300), 'How long a receiver may take to answer'),
  WEBHOOK_DISABLE_AFTER_SECONDS: variable(
    '432000',
    seconds(1, YEAR_SECONDS),
    'How long all attempts to send to a webhook endpoint may fail until it is disabled',
  ),
  SHUTDOWN_GRACE_SECONDS: variable(
    '10',
    seconds(1, 3_600),
    'How long the service may take to end: requests in flight are finished, and cut when it is nearly over',
  ),
  LOG_LEVEL: variable('info', oneOf(LOG_LEVELS), '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'),
  LOG_FORMAT: variable('auto', oneOf(LOG_FORMATS), '`json`, `pretty` for people, or `auto`: `pretty` on a terminal, else `json`'),
  LOG_CLIENT_ADDRESS: variable(
    'on',
    oneOf(['on', 'off']),
    'Whether the log tells the client address of what is refused with 401, 403 or 429, as it is counted: `on`, or `off` where it may not be kept',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    '',
    optional(readUrl),
    'Where traces are sent to, by OTLP over HTTP in JSON, such as `http://collector:4318`; when not set, nothing is traced',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable('', optional(readUrl), 'The same with its whole path, such as `/v1/traces`; it wins'),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    '',
    readHeaders,
    'What is sent with them, such as `authorization=Bearer%20TOKEN`; several are separated by commas, values percent-encoded',
  ),
  OTEL_TRACES_SAMPLER: variable(
    'parentbased_always_on',
    oneOf(SAMPLERS),
    `Which traces are recorded: one of ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}; those with \`parentbased\` heed \`traceparent\``,
  ),
  OTEL_TRACES_SAMPLER_ARG: variable('1', readRatio, 'The share of them that a sampler with `traceidratio` records, from 0 to 1'),
} as const;

export type VariableName = keyof typeof variables;
