import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeTemporaryFolder } from '../../test/cleanup/temporary-folder.js';
import { loadServiceConfiguration } from '../bootstrap/composition.js';
import { ConfigurationError } from './load-configuration.js';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadServiceConfiguration(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

const WRONG = `PORT=70000 | MANAGEMENT_PORT=none | CONSOLE=true | DEPLOYMENT=test | DATABASE_URL=mysql://localhost
  BASE_URL_PRODUCTION=https://api.example.org | BASE_URL_STAGING=ftp://example.org/v1 | TRUST_PROXY=yes
  BODY_LIMIT_BYTES=1e6 | CORS_ORIGINS=https://a.example,b.example | SHUTDOWN_GRACE_SECONDS=0 | LOG_LEVEL=loud
  LOG_FORMAT=xml | LOG_CLIENT_ADDRESS=false | OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4318
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=grpc://localhost:4317 | OTEL_EXPORTER_OTLP_HEADERS=authorization
  OTEL_TRACES_SAMPLER=sometimes | OTEL_TRACES_SAMPLER_ARG=1.1 | FEED_STREAMS=0 | FEED_STREAMS_PER_KEY=many
  FEED_STREAM_MINUTES=0 | GRAPHQL_INTROSPECTION=yes | IDEMPOTENCY_RETENTION_HOURS=23 | ORDER_RESERVATION_MINUTES=0
  ANONYMOUS_REQUESTS_PER_MINUTE=0 | ANONYMOUS_REQUESTS_PER_DAY=many | BAN_AFTER=-1 | BAN_GRACE_SECONDS=2.5
  BAN_LADDER_SECONDS=60,0 | CREATE_BURST_PER_SECOND=1e3 | WEBHOOKS_PER_KEY=0 | WEBHOOK_ALLOW=443,70000
  WEBHOOK_ALLOW_LOOPBACK=yes | WEBHOOK_RETRY_SECONDS=5,0 | WEBHOOK_TIMEOUT_SECONDS=0 | WEBHOOK_DISABLE_AFTER_SECONDS=-1`;

describe('the configuration', () => {
  it('has safe defaults', () => {
    expect(loadServiceConfiguration({})).toMatchObject({
      host: '127.0.0.1',
      management: { host: '127.0.0.1', checksHost: true },
      database: { kind: 'sqlite', path: resolve('data/adoption.sqlite') },
      trustProxy: false,
      bodyLimitBytes: 65_536,
      corsOrigins: [],
      modules: {
        feed: { streams: 2_000, streamsPerKey: 10, streamLifetime: 3_600_000 },
        operations: { idempotencyRetention: 172_800_000 },
        orders: { reservation: 86_400_000 },
        'rate-limiting': { 'anonymous minute': 60, 'anonymous day': 1_000, banAfter: 10, banLadder: [60_000, 300_000, 900_000, 3_600_000] },
        webhooks: { perKey: 100, allowedPorts: [], allowLoopback: false, timeout: 15_000, disableAfter: 432_000_000 },
      },
    });
  });

  it('has a console in development, and elsewhere only if it is enabled and has a password', () => {
    expect(loadServiceConfiguration({ CONSOLE: 'off' }).console).toBeUndefined();
    for (const deployment of ['staging', 'production']) {
      const deployed = { DEPLOYMENT: deployment, CONSOLE: 'on', CONSOLE_PASSWORD: 'sesame' };
      expect(loadServiceConfiguration({ ...deployed, CONSOLE: '' }).console).toBeUndefined();
      expect(loadServiceConfiguration(deployed).console).toEqual({ password: 'sesame' });
      expect(problemsOf({ ...deployed, CONSOLE_PASSWORD: '' })).toEqual([expect.stringMatching(/^CONSOLE_PASSWORD must be set/)]);
      expect(problemsOf({ ...deployed, MANAGEMENT_PORT: 'off' })).toEqual([expect.stringMatching(/^CONSOLE must be off/)]);
    }
  });

  it('names every mistake at once, in the order of the variables', () => {
    const wrong = Object.fromEntries(WRONG.split(/ \| |\n/).map((line) => line.trim().split('=') as [string, string]));
    const problems = problemsOf(wrong);
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(Object.keys(wrong));
    expect(problems).toEqual(
      expect.arrayContaining([
        'PORT must be a whole number from 0 to 65535',
        'MANAGEMENT_PORT must be a whole number from 0 to 65535, or off',
        'CONSOLE must be one of on, off',
        'CORS_ORIGINS must be an origin such as https://shop.example.org, or *; "b.example" is none (entry 2)',
        'BAN_LADDER_SECONDS must be a whole number from 1 to 31536000 (entry 2)',
        'ORDER_RESERVATION_MINUTES must be a decimal number above 0 and up to 525600',
      ]),
    );
  });

  it.each<[environment: Record<string, string>, read: object]>([
    [{ MANAGEMENT_PORT: 'off' }, { management: undefined }],
    [{ DEPLOYMENT: 'staging' }, { management: { checksHost: false } }],
    [{ DEPLOYMENT: 'production' }, { management: { checksHost: false } }],
    [{ DEPLOYMENT: 'staging', WEBHOOK_ALLOW_LOOPBACK: 'true' }, { modules: { webhooks: { allowLoopback: true } } }],
    [{ TRUST_PROXY: 'true' }, { trustProxy: true }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: '10.0.0.0/8, fd00::/8,192.0.2.7' }, { trustProxy: ['10.0.0.0/8', 'fd00::/8', '192.0.2.7'] }],
    [{ BAN_LADDER_SECONDS: '60, 300,900' }, { modules: { 'rate-limiting': { banLadder: [60_000, 300_000, 900_000] } } }],
    [{ ORDER_RESERVATION_MINUTES: '0.05' }, { modules: { orders: { reservation: 3_000 } } }],
    [{ ORDER_RESERVATION_MINUTES: '0.0000001' }, { modules: { orders: { reservation: 1 } } }],
    [{ DATABASE_URL: 'sqlite:/var/lib/a.sqlite' }, { database: { kind: 'sqlite', path: '/var/lib/a.sqlite' } }],
    [{ DATABASE_URL: 'sqlite:b.sqlite' }, { database: { kind: 'sqlite', path: resolve('b.sqlite') } }],
    // As docs/operate/scaling.md looks for it on the server.
    [{ DATABASE_URL: 'postgres://user@host/name' }, { database: { kind: 'postgres', applicationName: 'animal-adoption/1.0.0' } }],
  ])('reads %j', (environment, read) => {
    expect(loadServiceConfiguration(environment)).toMatchObject(read);
  });

  it('refuses messages to this machine in production', () => {
    const problems = problemsOf({ DEPLOYMENT: 'production', WEBHOOK_ALLOW_LOOPBACK: 'true' });
    expect(problems).toEqual([expect.stringMatching(/^WEBHOOK_ALLOW_LOOPBACK must not be true in production/)]);
  });

  it.each<[variable: string, texts: readonly string[], problem: string]>([
    ['TRUST_PROXY', ['0', '-1', '1.5', '10.0.0.0/33', 'example.org', 'fd00::/129', ','], ''],
    ['BAN_LADDER_SECONDS', [',', 'a', '60 300', '31536001'], ''],
    [
      'ORDER_RESERVATION_MINUTES',
      ['0.0', '-1', '525600.1', 'x', '1e3', '0x10', '1,5', '1.', '.5', '+1', '01', ' 1', 'Infinity'],
      'must be a decimal number',
    ],
    ['DATABASE_URL', ['sqlite:', 'sqlite::memory:', 'sqlite:./data/', 'data.sqlite', '   '], 'must .*sqlite:./data/adoption.sqlite'],
    [
      'REDIS_URL',
      [
        'cache.example:6379',
        'redis://',
        'redis://:hidden@cache.example/zero',
        'redis://:hid#den@cache.example',
        'redis://:hidden%@cache.example',
      ],
      'must be redis(\\+sentinel)?:',
    ],
    ['REDIS_KEY_PREFIX', ['two words', 'a'.repeat(101), 'ü:'], 'must be 1 to 100'],
    ['OTEL_EXPORTER_OTLP_HEADERS', ['hidden', '=hidden', 'x=hidden%', 'x y=hidden', 'x=hidden%0Ay'], 'must list'],
    [
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      ['collector:4318', 'http://', 'http://user:hidden@collector', 'http://collector?key=hidden', 'ftp://collector'],
      'must be an http',
    ],
  ])('refuses of %s %j, and repeats no secret', (variable, texts, problem) => {
    for (const text of texts) {
      const problems = problemsOf({ [variable]: text });
      expect([text, problems]).toEqual([text, [expect.stringMatching(new RegExp(`^${variable} ${problem}`))]]);
      expect(problems.join()).not.toMatch(/hidden|hid#den/);
    }
  });

  it('reads where, how and which traces are sent, and sends none without an endpoint', () => {
    const values = {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-tenant=7',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(loadServiceConfiguration({ ...values, OTEL_EXPORTER_OTLP_ENDPOINT: '' }).tracing).toBeUndefined();
    expect(loadServiceConfiguration({ ...values, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }).tracing).toMatchObject({
      url: 'http://collector:4318/v1/traces',
      headers: { authorization: 'Bearer a=b', 'x-tenant': '7' },
      sampler: 'traceidratio',
      ratio: 0.25,
    });
  });

  describe('in a file', () => {
    let folder: string;
    beforeEach(() => (folder = makeTemporaryFolder('configuration')));

    it('is read through NAME_FILE, without the last line end', () => {
      writeFileSync(join(folder, 'port'), '4000\n');
      expect(loadServiceConfiguration({ PORT_FILE: join(folder, 'port') }).port).toBe(4000);
    });

    it('is refused when NAME is set too, or when the file cannot be read', () => {
      writeFileSync(join(folder, 'port'), '4000');
      expect(problemsOf({ PORT: '1', PORT_FILE: join(folder, 'port') })).toEqual([
        'PORT is set both by itself and by PORT_FILE; set one of them',
      ]);
      expect(problemsOf({ PORT_FILE: join(folder, 'none') })[0]).toContain('PORT cannot be read from PORT_FILE');
    });
  });
});
