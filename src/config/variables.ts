import { z } from 'zod';
import { parseDatabaseUrl, parsePostgresUrl } from '#libs/database';
import { SAMPLERS } from '#libs/observability';
import {
  baseUrl,
  headers,
  hours,
  integer,
  list,
  minutes,
  oneOf,
  origin,
  parsed,
  ratio,
  redisUrl,
  seconds,
  serverUrl,
  trueOrFalse,
  trustProxy,
} from './value-schemas.js';

const DEPLOYMENTS = ['development', 'staging', 'production'] as const;
export type Deployment = (typeof DEPLOYMENTS)[number];

const DATABASE_URL = 'sqlite:./data/adoption.sqlite';
const LARGEST_LIMIT = 1_000_000_000;
const YEAR_SECONDS = 31_536_000;

const port = integer(0, 65_535);
const portOrOff = z.union([z.literal('off').transform(() => undefined), port], 'must be a whole number from 0 to 65535, or off');
const onOrOff = oneOf(['on', 'off']);

/** All environment variables with their defaults. The README's table and `.env.example` are checked against this. */
const valuesSchema = z.object({
  HOST: z.string().prefault('127.0.0.1').describe('Address to listen on'),
  PORT: port.prefault('3000').describe('Port to listen on; 0 takes a free one'),
  MANAGEMENT_HOST: z.string().prefault('127.0.0.1').describe('Address of the management port'),
  MANAGEMENT_PORT: portOrOff
    .prefault('9464')
    .describe('Port for metrics and the state of each part, without authentication: keep it private; 0 takes a free one, `off` for none'),
  CONSOLE: onOrOff
    .optional()
    .describe("Whether the management port serves `/console`, the operators' page: `on` or `off`; when not set, in development alone"),
  CONSOLE_PASSWORD: z
    .string()
    .optional()
    .describe('What `/console` asks for, with any user name; needed where it is on but in development'),
  DEPLOYMENT: oneOf(DEPLOYMENTS).prefault('development').describe('`development`, `staging` or `production`; a key works in its own alone'),
  DATABASE_URL: parsed((text) => parseDatabaseUrl(text, DATABASE_URL))
    .prefault(DATABASE_URL)
    .describe('Where the data is: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:5432/DATABASE`, with commas between several hosts'),
  MIGRATION_DATABASE_URL: parsed(parsePostgresUrl)
    .optional()
    .describe('The same PostgreSQL database as the role that owns its tables, for migrations alone; when not set, `DATABASE_URL`'),
  DATABASE_POOL_SIZE: integer(1, 1_000).prefault('8').describe('Connections to PostgreSQL for reading; two more are for writing'),
  DATABASE_TIMEOUT_MILLISECONDS: integer(100, 60_000)
    .prefault('1500')
    .describe('How long the service waits for a connection, a lock or a statement of PostgreSQL until it answers 503'),
  BASE_URL_PRODUCTION: baseUrl
    .prefault('https://api.adoption.example/v1')
    .describe('Public address of production, for the OpenAPI document'),
  BASE_URL_STAGING: baseUrl.prefault('https://staging.adoption.example/v1').describe('Public address of staging, for the OpenAPI document'),
  TRUST_PROXY: trustProxy
    .prefault('false')
    .describe('Whose `X-Forwarded-For` to believe: `false`, `true`, hops, or addresses and networks'),
  BODY_LIMIT_BYTES: integer(1_024, 16_777_216).prefault('65536').describe('Largest request body in bytes'),
  CORS_ORIGINS: list(origin).prefault('').describe('Origins that may call from a browser, separated by commas; `*` for any'),
  ANONYMOUS_REQUESTS_PER_MINUTE: integer(1, LARGEST_LIMIT)
    .prefault('60')
    .describe('Requests without a valid key from one address in a minute'),
  ANONYMOUS_REQUESTS_PER_DAY: integer(1, LARGEST_LIMIT).prefault('1000').describe('Requests without a valid key from one address in a day'),
  PUBLIC_REQUESTS_PER_MINUTE: integer(1, LARGEST_LIMIT)
    .prefault('300')
    .describe('Requests from one address in a minute for what is open to everybody, such as `/docs` and `/openapi.json`'),
  PUBLIC_REQUESTS_PER_DAY: integer(1, LARGEST_LIMIT).prefault('20000').describe('The same in a day'),
  BAN_AFTER: integer(0, 1_000_000).prefault('10').describe('Refusals in a minute that do not ban a key yet; 0 turns bans off'),
  BAN_GRACE_SECONDS: seconds(0, 60).prefault('2').describe('Seconds after the first refusal of a minute in which refusals do not count'),
  BAN_LADDER_SECONDS: list(seconds(1, YEAR_SECONDS), 1)
    .prefault('60,300,900,3600')
    .describe('How long the first, second, … ban lasts; the last repeats'),
  CREATE_BURST_PER_SECOND: integer(0, 1_000_000)
    .prefault('0')
    .describe('Animals that one key may add in a second; 0 for no limit of its own'),
  REDIS_URL: redisUrl
    .optional()
    .describe(
      'Where several instances count requests together: `redis://USER:PASSWORD@HOST:6379/0`, `rediss://` for TLS, or ' +
        '`redis+sentinel://HOST:26379,HOST:26379/NAME`',
    ),
  REDIS_KEY_PREFIX: z
    .string()
    .regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 printable ASCII characters without spaces, such as adoption:')
    .prefault('adoption:')
    .describe('What the names of all keys in Redis begin with; another for each deployment'),
  GRAPHQL_INTROSPECTION: trueOrFalse
    .optional()
    .describe('Whether `/graphql` tells its schema, `true` or `false`; when not set, everywhere but in production'),
  IDEMPOTENCY_RETENTION_HOURS: hours(24, 8_760)
    .prefault('48')
    .describe('How long an `Idempotency-Key` is remembered; clients are promised 24 hours'),
  ORDER_RESERVATION_MINUTES: minutes(525_600)
    .prefault('1440')
    .describe('How long an order that nobody has approved holds its animal, in minutes; a decimal number such as 0.5'),
  FEED_STREAMS: integer(1, 1_000_000).prefault('2000').describe('Streams of events that may be open at this instance at once'),
  FEED_STREAMS_PER_KEY: integer(1, 1_000_000).prefault('10').describe('The same of one key'),
  FEED_STREAM_MINUTES: minutes(525_600)
    .prefault('60')
    .describe('After how long a stream ends, so that its client comes again, perhaps to another instance; a decimal number such as 0.5'),
  WEBHOOKS_PER_KEY: integer(1, 10_000).prefault('100').describe('How many webhook endpoints one key may have'),
  WEBHOOK_ALLOW: list(integer(1, 65_535))
    .prefault('')
    .describe('Ports that webhook endpoints may have beside 443 and 8443, such as `9443,10443`'),
  WEBHOOK_ALLOW_LOOPBACK: trueOrFalse
    .prefault('false')
    .describe(
      'Whether webhook endpoints may be on this machine, at any port and with `http` too: `true` for development alone, `false` in production',
    ),
  WEBHOOK_RETRY_SECONDS: list(seconds(1, YEAR_SECONDS), 1)
    .prefault('5,300,1800,7200,18000,36000,50400,72000,86400')
    .describe('After how long the second, third, … attempt to send an event is made; after the last one it is given up'),
  WEBHOOK_TIMEOUT_SECONDS: seconds(1, 300).prefault('15').describe('How long a receiver may take to answer'),
  WEBHOOK_DISABLE_AFTER_SECONDS: seconds(1, YEAR_SECONDS)
    .prefault('432000')
    .describe('How long all attempts to send to a webhook endpoint may fail until it is disabled'),
  SHUTDOWN_GRACE_SECONDS: seconds(1, 3_600)
    .prefault('10')
    .describe('How long the service may take to end: requests in flight are finished, and cut when it is nearly over'),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .prefault('info')
    .describe('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'),
  LOG_FORMAT: oneOf(['auto', 'json', 'pretty'])
    .prefault('auto')
    .describe('`json`, `pretty` for people, or `auto`: `pretty` on a terminal, else `json`'),
  LOG_CLIENT_ADDRESS: onOrOff
    .prefault('on')
    .describe(
      'Whether the log tells the client address of what is refused with 401, 403 or 429, as it is counted: `on`, or `off` where it may not be kept',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: serverUrl
    .optional()
    .describe('Where traces are sent to, by OTLP over HTTP in JSON, such as `http://collector:4318`; when not set, nothing is traced'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: serverUrl.optional().describe('The same with its whole path, such as `/v1/traces`; it wins'),
  OTEL_EXPORTER_OTLP_HEADERS: headers
    .prefault('')
    .describe('What is sent with them, such as `authorization=Bearer%20TOKEN`; several are separated by commas, values percent-encoded'),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLERS)
    .prefault('parentbased_always_on')
    .describe(
      `Which traces are recorded: one of ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}; those with \`parentbased\` heed \`traceparent\``,
    ),
  OTEL_TRACES_SAMPLER_ARG: ratio.prefault('1').describe('The share of them that a sampler with `traceidratio` records, from 0 to 1'),
});

/** The values of all variables; also checks which of them do not go together, whatever else is wrong. */
export const environmentSchema = valuesSchema.check(
  rule(
    'WEBHOOK_ALLOW_LOOPBACK',
    'must not be true in production, where it would turn messages against this machine',
    (values) => values.DEPLOYMENT !== 'production' || !values.WEBHOOK_ALLOW_LOOPBACK,
  ),
  rule(
    'CONSOLE_PASSWORD',
    'must be set, or CONSOLE_PASSWORD_FILE, if CONSOLE is on in staging or production',
    (values) => values.DEPLOYMENT === 'development' || !hasConsole(values) || values.CONSOLE_PASSWORD !== undefined,
  ),
  rule(
    'CONSOLE',
    'must be off if MANAGEMENT_PORT is off, since the management port serves it',
    (values) => values.DEPLOYMENT === 'development' || !hasConsole(values) || values.MANAGEMENT_PORT !== undefined,
  ),
);

function rule(name: VariableName, error: string, isKept: (values: Values) => boolean) {
  return z.refine<Values>(isKept, { path: [name], error, when: () => true });
}

/** Whether there is an operators' page: unless it is said, in development only. */
export function hasConsole({ CONSOLE: isOn, DEPLOYMENT: deployment }: Pick<Values, 'CONSOLE' | 'DEPLOYMENT'>): boolean {
  return isOn === undefined ? deployment === 'development' : isOn === 'on';
}

type Values = z.output<typeof valuesSchema>;
export type VariableName = keyof Values;

/** What the documents say of each variable. */
export const variables = Object.fromEntries(
  Object.entries(environmentSchema.shape).map(([name, schema]) => {
    const text = schema.type === 'prefault' ? schema.def.defaultValue : '';
    return [name, { default: text, description: schema.description ?? '' }];
  }),
) as Readonly<Record<VariableName, { readonly default: string; readonly description: string }>>;
