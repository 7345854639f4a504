import { parseDatabaseUrl, parsePostgresUrl } from '#libs/database';
import { integer, list, type ModuleSettings, oneOf, parsed, seconds, setting, type Setting, type SettingValues, text } from '#libs/http';
import { SAMPLERS } from '#libs/observability';
import { baseUrl, headers, onOrOff, origin, port, portOrOff, ratio, serverUrl, trustProxy } from './core-kinds.js';

const DEPLOYMENTS = ['development', 'staging', 'production'] as const;
export type Deployment = (typeof DEPLOYMENTS)[number];

const DATABASE_URL = 'sqlite:./data/adoption.sqlite';

const addresses = {
  host: setting('HOST', text, { default: '127.0.0.1', description: 'Address to listen on' }),
  port: setting('PORT', port, { default: '3000', description: 'Port to listen on; 0 takes a free one' }),
  managementHost: setting('MANAGEMENT_HOST', text, { default: '127.0.0.1', description: 'Address of the management port' }),
  managementPort: setting('MANAGEMENT_PORT', portOrOff, {
    default: '9464',
    description: 'Port for metrics and the state of each part, without authentication: keep it private; 0 takes a free one, `off` for none',
  }),
  hasConsole: setting('CONSOLE', onOrOff, {
    description: "Whether the management port serves `/console`, the operators' page: `on` or `off`; if not set, only in development",
  }),
  consolePassword: setting('CONSOLE_PASSWORD', text, {
    description: 'Password of `/console`, with any user name; required if the console is on in staging or production',
  }),
  deployment: setting('DEPLOYMENT', oneOf(DEPLOYMENTS), {
    default: 'development',
    description: '`development`, `staging` or `production`; an API key works only in the deployment that issued it',
  }),
};

const database = {
  databaseUrl: setting(
    'DATABASE_URL',
    parsed((location) => parseDatabaseUrl(location, DATABASE_URL)),
    {
      default: DATABASE_URL,
      description: 'The database: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:5432/DATABASE`, with commas between several hosts',
    },
  ),
  migrationDatabaseUrl: setting('MIGRATION_DATABASE_URL', parsed(parsePostgresUrl), {
    description: 'The same PostgreSQL database with the role that owns its tables, only for migrations; if not set, `DATABASE_URL`',
  }),
  databasePoolSize: setting('DATABASE_POOL_SIZE', integer(1, 1_000), {
    default: '8',
    description: 'Connections to PostgreSQL for reading; four more are for writing',
  }),
  databaseTimeout: setting('DATABASE_TIMEOUT_MILLISECONDS', integer(100, 60_000), {
    default: '1500',
    description: 'How long the service waits for a connection, a lock or a statement of PostgreSQL before it answers 503',
  }),
};

const requests = {
  baseUrlProduction: setting('BASE_URL_PRODUCTION', baseUrl, {
    default: 'https://api.adoption.example/v1',
    description: 'Public address of production, for the OpenAPI document',
  }),
  baseUrlStaging: setting('BASE_URL_STAGING', baseUrl, {
    default: 'https://staging.adoption.example/v1',
    description: 'Public address of staging, for the OpenAPI document',
  }),
  trustProxy: setting('TRUST_PROXY', trustProxy, {
    default: 'false',
    description: 'Which proxies are trusted to set `X-Forwarded-For`: `false`, `true`, a number of hops, or addresses and networks',
  }),
  bodyLimitBytes: setting('BODY_LIMIT_BYTES', integer(1_024, 16_777_216), {
    default: '65536',
    description: 'Largest request body in bytes',
  }),
  keepAlive: setting('KEEP_ALIVE_SECONDS', seconds(2, 3_600), {
    default: '61',
    description:
      'Seconds after which a connection without a request is closed: more than a load balancer keeps its own, such as 360 for 350 and 620 for 600',
  }),
  corsOrigins: setting('CORS_ORIGINS', list(origin), {
    default: '',
    description: 'Origins that may call from a browser, separated by commas; `*` for any',
  }),
  shutdownGrace: setting('SHUTDOWN_GRACE_SECONDS', seconds(1, 3_600), {
    default: '10',
    description: 'Seconds that a shutdown may take: requests in flight are finished, and aborted shortly before the end',
  }),
};

const logs = {
  logLevel: setting('LOG_LEVEL', oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), {
    default: 'info',
    description: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
  }),
  logFormat: setting('LOG_FORMAT', oneOf(['auto', 'json', 'pretty']), {
    default: 'auto',
    description: '`json`, `pretty` for people, or `auto`: `pretty` on a terminal, else `json`',
  }),
  logsClientAddress: setting('LOG_CLIENT_ADDRESS', onOrOff, {
    default: 'on',
    description:
      'Whether the log contains the client address of requests rejected with 401, 403 or 429: `on`, or `off` if it must not be stored',
  }),
};

const traces = {
  otlpEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', serverUrl, {
    description: 'Collector of traces, by OTLP over HTTP in JSON, such as `http://collector:4318`; if not set, nothing is traced',
  }),
  otlpTracesEndpoint: setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', serverUrl, {
    description: 'Collector of traces with its full path, such as `/v1/traces`; overrides `OTEL_EXPORTER_OTLP_ENDPOINT`',
  }),
  otlpHeaders: setting('OTEL_EXPORTER_OTLP_HEADERS', headers, {
    default: '',
    description: 'Headers sent with traces, such as `authorization=Bearer%20TOKEN`, separated by commas, values percent-encoded',
  }),
  tracesSampler: setting('OTEL_TRACES_SAMPLER', oneOf(SAMPLERS), {
    default: 'parentbased_always_on',
    description: `Which traces are recorded: one of ${SAMPLERS.map((name) => `\`${name}\``).join(', ')}; those with \`parentbased\` follow \`traceparent\``,
  }),
  tracesSamplerArgument: setting('OTEL_TRACES_SAMPLER_ARG', ratio, {
    default: '1',
    description: 'The share of traces that a sampler with `traceidratio` records, from 0 to 1',
  }),
};

/** The settings that the start or several modules read. Those of one module are declared by the module. Times are in milliseconds. */
export const coreSettings = { ...addresses, ...database, ...requests, ...logs, ...traces };

export type CoreValues = SettingValues<typeof coreSettings>;

/** The same in the groups of the documents, by title. */
export const coreGroups = {
  'Addresses and deployment': addresses,
  Database: database,
  'Requests and shutdown': requests,
  Logs: logs,
  Traces: traces,
};

/** Returns the settings of the core and then those of the modules. */
export function listSettings(modules: ReadonlyMap<string, ModuleSettings>): readonly Setting[] {
  return [coreSettings, ...modules.values()].flatMap((settings) => Object.values<Setting>(settings));
}
