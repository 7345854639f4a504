import { parseDatabaseUrl } from '#libs/database';
import { DEPLOYMENTS, LOG_LEVELS } from './configuration.js';
import {
  integer,
  oneOf,
  readBaseUrl,
  readOrigins,
  readSwitch,
  readText,
  readTrustProxy,
  seconds,
  secondsList,
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

const LARGEST_LIMIT = 1_000_000_000;
const LONGEST_BAN_SECONDS = 31_536_000;

/** All environment variables. The README's table and `.env.example` are checked against this. */
export const variables = {
  HOST: variable('127.0.0.1', readText, 'Address to listen on'),
  PORT: variable('3000', integer(0, 65_535), 'Port to listen on; 0 takes a free one'),
  DEPLOYMENT: variable('development', oneOf(DEPLOYMENTS), '`development`, `staging` or `production`; a key works in its own alone'),
  DATABASE_URL: variable('sqlite:./data/adoption.sqlite', parseDatabaseUrl, 'Where the data is'),
  BASE_URL_PRODUCTION: variable('https://api.adoption.example/v1', readBaseUrl, 'Public address of production, for the OpenAPI document'),
  BASE_URL_STAGING: variable('https://staging.adoption.example/v1', readBaseUrl, 'Public address of staging, for the OpenAPI document'),
  TRUST_PROXY: variable('false', readTrustProxy, 'Whose `X-Forwarded-For` to believe: `false`, `true`, hops, or addresses and networks'),
  BODY_LIMIT_BYTES: variable('65536', integer(1_024, 16_777_216), 'Largest request body in bytes'),
  CORS_ORIGINS: variable('', readOrigins, 'Origins that may call from a browser, separated by commas; `*` for any'),
  ANONYMOUS_REQUESTS_PER_MINUTE: variable('60', integer(1, LARGEST_LIMIT), 'Requests without a valid key from one address in a minute'),
  ANONYMOUS_REQUESTS_PER_DAY: variable('1000', integer(1, LARGEST_LIMIT), 'Requests without a valid key from one address in a day'),
  BAN_AFTER: variable('10', integer(0, 1_000_000), 'Refusals in a minute that do not ban a key yet; 0 turns bans off'),
  BAN_GRACE_SECONDS: variable('2', seconds(0, 60), 'Seconds after the first refusal of a minute in which refusals do not count'),
  BAN_LADDER_SECONDS: variable(
    '60,300,900,3600',
    secondsList(LONGEST_BAN_SECONDS),
    'How long the first, second, … ban lasts; the last repeats',
  ),
  CREATE_BURST_PER_SECOND: variable('0', integer(0, 1_000_000), 'Animals that one key may add in a second; 0 for no limit of its own'),
  GRAPHQL_INTROSPECTION: variable(
    '',
    readSwitch,
    'Whether `/graphql` tells its schema, `true` or `false`; when not set, everywhere but in production',
  ),
  LOG_LEVEL: variable('info', oneOf(LOG_LEVELS), '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`'),
} as const;

export type VariableName = keyof typeof variables;
