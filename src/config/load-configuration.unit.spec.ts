import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ConfigurationError, loadConfiguration, loadLogSettings } from './load-configuration.js';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfiguration(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(loadConfiguration({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      management: { host: '127.0.0.1', port: 9464, checksHost: true },
      console: { password: undefined },
      deployment: 'development',
      database: { kind: 'sqlite', path: resolve('data/adoption.sqlite') },
      baseUrls: { production: 'https://api.adoption.example/v1', staging: 'https://staging.adoption.example/v1' },
      trustProxy: false,
      bodyLimitBytes: 65_536,
      corsOrigins: [],
      rateLimits: {
        anonymous: { perMinute: 60, perDay: 1_000 },
        open: { perMinute: 300, perDay: 20_000 },
        bans: { after: 10, grace: 2_000, ladder: [60_000, 300_000, 900_000, 3_600_000] },
        createBurstPerSecond: 0,
      },
      feed: { streams: 2_000, streamsPerKey: 10, streamLifetime: 3_600_000 },
      graphql: { introspection: true },
      idempotencyRetention: 172_800_000,
      orderReservation: 86_400_000,
      webhooks: {
        perKey: 100,
        allowedPorts: [],
        allowLoopback: false,
        retryDelays: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * 1_000),
        timeout: 15_000,
        disableAfter: 432_000_000,
      },
      shutdownGrace: 10_000,
      logLevel: 'info',
      logFormat: 'auto',
      logsClientAddress: true,
    });
  });

  it('hides the schema in production unless it is told otherwise', () => {
    expect(loadConfiguration({ DEPLOYMENT: 'staging' }).graphql.introspection).toBe(true);
    expect(loadConfiguration({ DEPLOYMENT: 'production' }).graphql.introspection).toBe(false);
    expect(loadConfiguration({ DEPLOYMENT: 'production', GRAPHQL_INTROSPECTION: 'true' }).graphql.introspection).toBe(true);
    expect(loadConfiguration({ GRAPHQL_INTROSPECTION: 'false' }).graphql.introspection).toBe(false);
  });

  it('has a console in development, and elsewhere only where it is asked for and has a password', () => {
    expect(loadConfiguration({ CONSOLE: 'off' }).console).toBeUndefined();
    expect(loadConfiguration({ CONSOLE_PASSWORD: 'sesame' }).console).toEqual({ password: 'sesame' });
    for (const deployment of ['staging', 'production']) {
      expect(loadConfiguration({ DEPLOYMENT: deployment, CONSOLE_PASSWORD: 'sesame' }).console).toBeUndefined();
      expect(loadConfiguration({ DEPLOYMENT: deployment, CONSOLE: 'on', CONSOLE_PASSWORD: 'sesame' }).console).toEqual({
        password: 'sesame',
      });
      expect(problemsOf({ DEPLOYMENT: deployment, CONSOLE: 'on', PORT: 'x' })).toEqual([
        expect.stringMatching(/^PORT /),
        'CONSOLE_PASSWORD must be set, or CONSOLE_PASSWORD_FILE, if CONSOLE is on in staging or production',
      ]);
      expect(problemsOf({ DEPLOYMENT: deployment, CONSOLE: 'on', CONSOLE_PASSWORD: 'sesame', MANAGEMENT_PORT: 'off' })).toEqual([
        expect.stringMatching(/^CONSOLE must be off if MANAGEMENT_PORT is off/),
      ]);
    }
  });

  it('lets messages go to this machine only where that is no production', () => {
    expect(loadConfiguration({ DEPLOYMENT: 'staging', WEBHOOK_ALLOW_LOOPBACK: 'true' }).webhooks.allowLoopback).toBe(true);
    expect(loadConfiguration({ DEPLOYMENT: 'production', WEBHOOK_ALLOW_LOOPBACK: 'false' }).webhooks.allowLoopback).toBe(false);
    expect(problemsOf({ DEPLOYMENT: 'production', WEBHOOK_ALLOW_LOOPBACK: 'true' })).toEqual([
      expect.stringMatching(/^WEBHOOK_ALLOW_LOOPBACK must not be true in production/),
    ]);
  });

  it('names every mistake at once, in the order of the variables', () => {
    const wrong = {
      PORT: '70000',
      MANAGEMENT_PORT: 'none',
      CONSOLE: 'true',
      DEPLOYMENT: 'test',
      DATABASE_URL: 'mysql://localhost',
      BASE_URL_PRODUCTION: 'https://api.example.org',
      BASE_URL_STAGING: 'ftp://example.org/v1',
      TRUST_PROXY: 'yes',
      BODY_LIMIT_BYTES: '1e6',
      CORS_ORIGINS: 'https://a.example,b.example',
      ANONYMOUS_REQUESTS_PER_MINUTE: '0',
      ANONYMOUS_REQUESTS_PER_DAY: 'many',
      BAN_AFTER: '-1',
      BAN_GRACE_SECONDS: '2.5',
      BAN_LADDER_SECONDS: '60,0',
      CREATE_BURST_PER_SECOND: '1e3',
      GRAPHQL_INTROSPECTION: 'yes',
      IDEMPOTENCY_RETENTION_HOURS: '23',
      ORDER_RESERVATION_MINUTES: '0',
      FEED_STREAMS: '0',
      FEED_STREAMS_PER_KEY: 'many',
      FEED_STREAM_MINUTES: '0',
      WEBHOOKS_PER_KEY: '0',
      WEBHOOK_ALLOW: '443,70000',
      WEBHOOK_ALLOW_LOOPBACK: 'yes',
      WEBHOOK_RETRY_SECONDS: '5,0',
      WEBHOOK_TIMEOUT_SECONDS: '0',
      WEBHOOK_DISABLE_AFTER_SECONDS: '-1',
      SHUTDOWN_GRACE_SECONDS: '0',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      LOG_CLIENT_ADDRESS: 'false',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'grpc://localhost:4317',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization',
      OTEL_TRACES_SAMPLER: 'sometimes',
      OTEL_TRACES_SAMPLER_ARG: '1.1',
    };
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

  it.each([
    ['false', false],
    ['true', true],
    ['2', 2],
    ['loopback', ['loopback']],
    ['10.0.0.0/8, fd00::/8,192.0.2.7', ['10.0.0.0/8', 'fd00::/8', '192.0.2.7']],
  ])('reads TRUST_PROXY=%s', (text, value) => {
    expect(loadConfiguration({ TRUST_PROXY: text }).trustProxy).toEqual(value);
  });

  it.each(['0', '-1', '1.5', '10.0.0.0/33', 'example.org', 'fd00::/129', ','])('refuses TRUST_PROXY=%s', (text) => {
    expect(problemsOf({ TRUST_PROXY: text })).toHaveLength(1);
  });

  it('reads a list of seconds as milliseconds', () => {
    expect(loadConfiguration({ BAN_LADDER_SECONDS: '60, 300,900' }).rateLimits.bans.ladder).toEqual([60_000, 300_000, 900_000]);
    for (const text of [',', 'a', '60 300', '31536001']) expect(problemsOf({ BAN_LADDER_SECONDS: text })).toHaveLength(1);
  });

  it.each([
    ['0.05', 3_000],
    ['1440', 86_400_000],
    ['525600', 31_536_000_000],
    ['0.0000001', 1],
  ])('reads ORDER_RESERVATION_MINUTES=%s as milliseconds', (text, milliseconds) => {
    expect(loadConfiguration({ ORDER_RESERVATION_MINUTES: text }).orderReservation).toBe(milliseconds);
  });

  it.each(['0.0', '-1', '525600.1', 'x', '1e3', '0x10', '1,5', '1.', '.5', '+1', '01', ' 1', 'Infinity'])(
    'refuses ORDER_RESERVATION_MINUTES=%s',
    (text) => {
      expect(problemsOf({ ORDER_RESERVATION_MINUTES: text })).toHaveLength(1);
    },
  );

  it('takes 0 for no bans, no grace and no burst limit', () => {
    const { rateLimits } = loadConfiguration({ BAN_AFTER: '0', BAN_GRACE_SECONDS: '0', CREATE_BURST_PER_SECOND: '0' });
    expect(rateLimits).toMatchObject({ bans: { after: 0, grace: 0 }, createBurstPerSecond: 0 });
  });

  it.each(['sqlite:', 'sqlite::memory:', 'sqlite:./data/', 'data.sqlite', ''.padEnd(3)])('refuses DATABASE_URL=%j', (text) => {
    expect(problemsOf({ DATABASE_URL: text })).toEqual([expect.stringContaining('sqlite:./data/adoption.sqlite')]);
  });

  it('has names of hosts checked at the management port in development alone', () => {
    for (const [deployment, checksHost] of [
      ['development', true],
      ['staging', false],
      ['production', false],
    ] as const) {
      expect(loadConfiguration({ DEPLOYMENT: deployment }).management).toMatchObject({ checksHost });
    }
  });

  it('takes off for no management port', () => {
    expect(loadConfiguration({ MANAGEMENT_PORT: 'off' }).management).toBeUndefined();
  });

  it('reads an absolute and a relative path of a database', () => {
    expect(loadConfiguration({ DATABASE_URL: 'sqlite:/var/lib/a.sqlite' }).database).toEqual({ kind: 'sqlite', path: '/var/lib/a.sqlite' });
    expect(loadConfiguration({ DATABASE_URL: 'sqlite:///var/lib/a.sqlite' }).database).toEqual({
      kind: 'sqlite',
      path: '/var/lib/a.sqlite',
    });
    expect(loadConfiguration({ DATABASE_URL: 'sqlite:b.sqlite' }).database).toEqual({ kind: 'sqlite', path: resolve('b.sqlite') });
  });

  it('names the service to a PostgreSQL server, as docs/operations.md looks for it there', () => {
    const { database } = loadConfiguration({ DATABASE_URL: 'postgres://user@host/name' });
    expect(database).toMatchObject({ kind: 'postgres', applicationName: 'animal-adoption/1.0.0' });
  });

  it('counts in the process where no Redis is named', () => {
    expect(loadConfiguration({ REDIS_KEY_PREFIX: 'mine:' }).redis).toBeUndefined();
  });

  it.each([
    'redis://localhost',
    'redis://:p%40ss@[::1]:6380/2',
    'rediss://user:word@cache.example:6379/',
    'redis+sentinel://one:26379,[::1]:26380,three/mymaster',
    'rediss+sentinel://:p%40ss@one/my%20master/2',
  ])('reads REDIS_URL=%s', (url) => {
    expect(loadConfiguration({ REDIS_URL: url }).redis).toEqual({ url, keyPrefix: 'adoption:' });
    expect(loadConfiguration({ REDIS_URL: url, REDIS_KEY_PREFIX: 'mine:' }).redis).toEqual({ url, keyPrefix: 'mine:' });
  });

  it.each([
    'cache.example:6379',
    'http://cache.example',
    'redis://',
    'redis://:hidden@cache.example/zero',
    'redis://:hidden@cache.example?db=1',
    'redis://:hid#den@cache.example',
    'redis://:hidden%@cache.example',
    'redis+sentinel://:hidden@one:26379',
    'redis+sentinel://:hidden@one:26379,/mymaster',
    'redis+sentinel://:hidden@one:26379/mymaster/zero',
  ])('refuses REDIS_URL=%s without repeating it', (url) => {
    expect(problemsOf({ REDIS_URL: url })).toEqual([expect.stringMatching(/^REDIS_URL must be redis(\+sentinel)?:/)]);
    expect(problemsOf({ REDIS_URL: url }).join()).not.toContain('hidden');
  });

  it.each(['two words', 'a'.repeat(101), 'ü:'])('refuses REDIS_KEY_PREFIX=%s', (text) => {
    expect(problemsOf({ REDIS_KEY_PREFIX: text })).toEqual([expect.stringMatching(/^REDIS_KEY_PREFIX must be 1 to 100/)]);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, 'http://collector:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/' }, 'https://collector.example/otlp/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/traces' }, 'http://collector:4318/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:1', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b:2/x' }, 'http://b:2/x'],
  ])('sends traces where %j says', (environment, url) => {
    const sampler = { sampler: 'parentbased_always_on', ratio: 1 };
    expect(loadConfiguration(environment).tracing).toEqual({ url, headers: {}, ...sampler });
  });

  it('reads what traces are sent with and which, and sends none where it does not know where to', () => {
    const values = {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-tenant=7',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(loadConfiguration({ ...values, OTEL_EXPORTER_OTLP_ENDPOINT: '' }).tracing).toBeUndefined();
    expect(loadConfiguration({ ...values, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }).tracing).toMatchObject({
      headers: { authorization: 'Bearer a=b', 'x-tenant': '7' },
      sampler: 'traceidratio',
      ratio: 0.25,
    });
  });

  it.each(['hidden', '=hidden', 'x=hidden%', 'x y=hidden', 'x=hidden%0Ay'])(
    'refuses OTEL_EXPORTER_OTLP_HEADERS=%s without repeating it',
    (text) => {
      expect(problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: text })).toEqual([expect.stringMatching(/^OTEL_EXPORTER_OTLP_HEADERS must list/)]);
      expect(problemsOf({ OTEL_EXPORTER_OTLP_HEADERS: text }).join()).not.toContain('hidden');
    },
  );

  it.each(['collector:4318', 'http://', 'http://user:hidden@collector', 'http://collector?key=hidden', 'ftp://collector'])(
    'refuses OTEL_EXPORTER_OTLP_ENDPOINT=%s without repeating it',
    (text) => {
      expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: text })).toEqual([
        expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/),
      ]);
      expect(problemsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: text }).join()).not.toContain('hidden');
    },
  );

  it('counts an empty variable as not set', () => {
    expect(loadConfiguration({ PORT: '' }).port).toBe(3000);
  });

  describe('in a file', () => {
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'adoption-configuration-'))));
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it('is read through NAME_FILE, without the last line end', () => {
      writeFileSync(join(folder, 'port'), '4000\n');
      expect(loadConfiguration({ PORT_FILE: join(folder, 'port') }).port).toBe(4000);
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

describe('how the service speaks while it has no configuration', () => {
  it('is what its variables say, also by files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'adoption-configuration-'));
    writeFileSync(join(folder, 'format'), 'pretty\n');
    const settings = loadLogSettings({ LOG_LEVEL: 'error', LOG_FORMAT_FILE: join(folder, 'format'), PORT: 'x' });
    rmSync(folder, { recursive: true });
    expect(settings).toEqual({ logLevel: 'error', logFormat: 'pretty' });
  });

  it('is the default where one of them is wrong', () => {
    expect(loadLogSettings({ LOG_LEVEL: 'loud', LOG_FORMAT_FILE: '/nowhere' })).toEqual({ logLevel: 'info', logFormat: 'auto' });
  });
});
