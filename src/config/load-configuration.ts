import { readFileSync } from 'node:fs';
import type { DatabaseLocation } from '#libs/database';
import type { ModuleSettings, Setting, SettingValues } from '#libs/http';
import { StartupError, type TracingSettings } from '#libs/observability';
import { coreSettings, type CoreValues } from './core-settings.js';
import { VERSION } from './version.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Everything that may differ between two runs of the service, checked and typed. Times are in milliseconds. */
export type Configuration = ReturnType<typeof toConfiguration> & {
  /** The values of the modules' settings, by module. */
  readonly modules: Readonly<Record<string, SettingValues<ModuleSettings>>>;
};

/** All mistakes in the configuration, each naming its variable. */
export class ConfigurationError extends StartupError {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`the configuration has mistakes: ${problems.join('; ')}.`);
  }
}

/**
 * Reads the configuration from environment variables. Instead of `NAME`, `NAME_FILE` may name a file that holds the value.
 * @param modules the settings of the modules
 * @throws ConfigurationError that names every mistake at once, in the order of the documents
 */
export function loadConfiguration(environment: Environment, modules: ReadonlyMap<string, ModuleSettings>): Configuration {
  const core = readSettings(coreSettings, environment);
  const isProduction = core.values.deployment === 'production';
  const read = [...modules].map(([name, settings]) => ({ name, ...readSettings(settings, environment, isProduction) }));
  const problems = [...core.problems, ...consoleProblems(core.values), ...read.flatMap((each) => each.problems)];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    // Without problems, every value was read.
    ...toConfiguration(core.values as CoreValues),
    modules: Object.fromEntries(read.map(({ name, values }) => [name, values])),
  };
}

/** Reads how to log while there is no configuration yet: as its variables say, by their defaults if one of them is wrong. */
export function loadLogSettings(environment: Environment): Pick<Configuration, 'logFormat' | 'logLevel'> {
  const { logFormat, logLevel } = coreSettings;
  const read = (given: Environment) => readSettings({ logFormat, logLevel }, given).values;
  return { ...(read({}) as CoreValues), ...read(environment) };
}

/** Reads the settings that are without mistakes, and describes the mistakes of the others. */
function readSettings<Settings extends ModuleSettings>(settings: Settings, environment: Environment, isProduction = false) {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const { variable, kind, refusedInProduction: refused } = setting;
    try {
      const text = readText(setting, environment);
      if (isProduction && refused && text === refused.text) throw new Error(`must not be ${refused.text} in production, ${refused.reason}`);
      const read = text === undefined ? undefined : kind.safeParse(text);
      if (read?.error) problems.push(...read.error.issues.map(({ path, message }) => `${variable} ${message}${describeEntry(path)}`));
      else values[name] = read?.data;
    } catch (error) {
      problems.push(`${variable} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { values: values as Partial<SettingValues<Settings>>, problems };
}

function describeEntry([entry]: readonly PropertyKey[]): string {
  return typeof entry === 'number' ? ` (entry ${entry + 1})` : '';
}

/** An empty variable counts as not set, as `NAME=` in an environment file means it. @throws Error whose message continues the sentence */
function readText({ variable, default: usual }: Setting, environment: Environment): string | undefined {
  const [value, file] = [environment[variable], environment[`${variable}_FILE`]];
  if (value && file) throw new Error(`is set both by itself and by ${variable}_FILE; set one of them`);
  try {
    return (file ? readFileSync(file, 'utf8').replace(/\r?\n$/, '') : value) || usual;
  } catch (error) {
    throw new Error(`cannot be read from ${variable}_FILE: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** Describes why there cannot be a console outside of development. Skips a value that is itself invalid. */
function consoleProblems(values: Partial<CoreValues>): string[] {
  if (values.deployment === 'development' || !values.hasConsole) return [];
  const needed = {
    consolePassword: 'CONSOLE_PASSWORD must be set, or CONSOLE_PASSWORD_FILE, if CONSOLE is on in staging or production',
    managementPort: 'CONSOLE must be off if MANAGEMENT_PORT is off, since the management port serves it',
  };
  const isUnset = (name: string) => name in values && values[name as keyof CoreValues] === undefined;
  return Object.entries(needed).flatMap(([name, problem]) => (isUnset(name) ? [problem] : []));
}

function toConfiguration(values: CoreValues) {
  const { managementHost, managementPort, hasConsole, consolePassword, baseUrlProduction, baseUrlStaging, ...others } = values;
  const { databaseUrl, migrationDatabaseUrl, databasePoolSize, databaseTimeout, ...more } = others;
  const { otlpEndpoint, otlpTracesEndpoint, otlpHeaders, tracesSampler, tracesSamplerArgument, ...asRead } = more;
  const isDevelopment = values.deployment === 'development';
  return {
    ...asRead,
    /** The address for operators and their tools; undefined if there is none. */
    management: managementPort === undefined ? undefined : { host: managementHost, port: managementPort, checksHost: isDevelopment },
    /** The operators' page on the management port, and its password; undefined if there is none. */
    console: (hasConsole ?? isDevelopment) ? { password: consolePassword } : undefined,
    database: toDatabase(values),
    baseUrls: { production: baseUrlProduction, staging: baseUrlStaging },
    ...toTracing(values),
  };
}

/** The settings of a server mean nothing for a file. */
function toDatabase(values: CoreValues): DatabaseLocation {
  const { databaseUrl: location, migrationDatabaseUrl: migrationUrl } = values;
  if (location.kind === 'sqlite') return location;
  return {
    ...location,
    applicationName: `animal-adoption/${VERSION}`,
    poolSize: values.databasePoolSize,
    timeout: values.databaseTimeout,
    ...(migrationUrl !== undefined && { migrationUrl }),
  };
}

/** Only the common endpoint gets the path: https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp */
function toTracing(values: CoreValues): { readonly tracing?: TracingSettings } {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = values;
  const url = values.otlpTracesEndpoint ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined) return {};
  return { tracing: { url, headers, sampler: values.tracesSampler, ratio: values.tracesSamplerArgument } };
}
