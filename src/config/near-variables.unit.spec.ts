import { composition } from '../bootstrap/composition.js';
import * as nearVariables from './near-variables.js';

const { settings } = composition();
const findNearVariables = (environment: Record<string, string | undefined>) => nearVariables.findNearVariables(environment, settings);
const nearestOf = (name: string, value = 'x') => findNearVariables({ [name]: value })[0]?.nearest;
const environmentOf = (text: string) =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((name) => [name, 'value']),
  );

/** Variables of systems, Node and npm, libpq, containers, and of what builds and observes. */
const OTHERS = environmentOf(`
  PATH HOME HOSTNAME HOSTTYPE LANG LC_ALL LOGNAME MAIL OLDPWD OSTYPE PWD SHELL SHLVL TERM TMPDIR TZ USER UID EDITOR PAGER LESS DISPLAY
  SSH_TTY SSL_CERT_FILE CERT_FILE PID_FILE CONFIG_FILE KEY_FILE PASSWORD_FILE _ PS1 HTTP_PROXY NO_PROXY http_proxy no_proxy
  INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET LISTEN_FDS MAINPID LOGS_DIRECTORY CONFIGURATION_DIRECTORY EXIT_CODE SERVICE_RESULT NODE
  NODE_ENV NODE_OPTIONS NODE_PORT NODE_HOST NODE_V8_COVERAGE NO_COLOR FORCE_COLOR COLOR INIT_CWD npm_command npm_execpath
  npm_config_port npm_config_host npm_config_loglevel npm_package_config_port NPM_TOKEN NPM_PORT JEST_WORKER_ID PGHOST PGPORT PGDATABASE
  PGUSER PGPASSWORD PGPASSFILE PGSSLMODE PGTZ PGDATA container DOCKER_HOST COMPOSE_PROJECT_NAME KUBERNETES_SERVICE_HOST
  KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT_443_TCP_ADDR POD_NAME REDIS_SERVICE_HOST REDIS_SERVICE_PORT_CLIENT
  REDIS_PORT_6379_TCP_PROTO DATABASE_SERVICE_HOST DATABASE_PORT_5432_TCP_ADDR FEED_SERVICE_HOST CONSOLE_PORT_80_TCP POSTGRES_PASSWORD
  POSTGRES_PASSWORD_FILE ADOPTION_LOG_LEVEL ADOPTION_PROXY_HOPS CI CI_JOB_ID GITHUB_ACTIONS GITHUB_BASE_REF RUNNER_OS BUILD_NUMBER
  JOB_NAME WORKSPACE OTEL_SERVICE_NAME OTEL_LOG_LEVEL OTEL_EXPORTER_OTLP_PROTOCOL OTEL_TRACES_EXPORTER SENTRY_DSN DD_AGENT_HOST
  AWS_REGION`);

describe('variables that are nearly one of the service', () => {
  it.each([
    ['LOG_LVL', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['log_level', 'LOG_LEVEL'],
    ['PORTS', 'PORT'],
    ['PROT', 'PORT'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['CONSOLE_PASS', 'CONSOLE_PASSWORD'],
    ['MANAGEMENT_ADDRESS', 'MANAGEMENT_HOST'],
    ['WEBHOOK_TIMEOUT', 'WEBHOOK_TIMEOUT_SECONDS'],
    ['SHUTDOWN_GRACE', 'SHUTDOWN_GRACE_SECONDS'],
    ['REDIS_HOST', 'REDIS_URL'],
    ['REDIS_PORT', 'REDIS_URL'],
    ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ])('are reported: %s is near to %s', (name, expected) => {
    expect(nearestOf(name)).toBe(expected);
  });

  it('are not those of others', () => {
    expect(findNearVariables(OTHERS)).toEqual([]);
  });

  it('are named without their values', () => {
    const [variable] = findNearVariables({ CONSOLE_PASSWRD: 'sesame' });
    expect(variable && nearVariables.describeNearVariable(variable)).toBe(
      'CONSOLE_PASSWRD is set, but is not a variable of this service; the nearest is CONSOLE_PASSWORD.',
    );
    expect(JSON.stringify(variable)).not.toContain('sesame');
  });
});
