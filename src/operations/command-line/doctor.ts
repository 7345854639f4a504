import { bytes, fields, generalView, type Terminal, type View } from '#libs/cli';
import { printableLine, Clock, TOLERATED_SKEW_MILLISECONDS, cliCommand, runtimeKind, type RuntimeKind } from '#libs/observability';
import { Database, databaseSize, describeLocation, describeSkew, NewerDatabaseError, raw, sql } from '#libs/database';
import { readLaterHistories, type LaterHistory, ProjectionStatuses } from '#libs/event-sourcing';
import { ConfigurationError, describeNearVariable, findNearVariables, VERSION, type Configuration } from '../../config/index.js';
import { toErrorLine } from './failure-line.js';
import type { OperationsCliContext, ServiceAccess } from './operations-cli-context.js';
import { describeHistory, verify } from './verification.js';

const MOST_DAMAGE_NAMED = 5;
const SECRET_NAME = /password|secret|token|credential/i;
const CREDENTIALS_IN_ADDRESS = /(?<=:\/\/)[^/@\s]*(?=@)/g;

interface Diagnosis {
  readonly ok: boolean;
  /** What is wrong and how to put it right, one or two sentences each. */
  readonly problems: readonly string[];
  /** Possible mistakes, one sentence each. */
  readonly warnings: readonly string[];
  readonly place: RuntimeKind;
  readonly versions: { readonly service: string; readonly node: string };
  /** Without secrets; undefined if it has mistakes. */
  readonly configuration?: unknown;
  readonly database?: DatabaseDiagnosis;
}

interface DatabaseDiagnosis {
  readonly exists: boolean;
  /** Size of its files; undefined if there is none. */
  readonly bytes?: number;
  readonly pendingMigrations: readonly string[];
  readonly unknownMigrations: readonly string[];
  readonly events?: bigint;
  readonly apiKeys?: bigint;
  /** Seconds by which this machine's clock is ahead of the server's; undefined for a file. */
  readonly clockSkewSeconds?: number;
  /** Histories of the log that began after a failover or a restore. */
  readonly histories?: readonly LaterHistory[];
}

/** Looks at everything the service needs, without creating a database, and prints it. `full` also reads the whole database. */
export async function runDoctor(context: OperationsCliContext, full: boolean): Promise<void> {
  const service = await context.service();
  const problems: string[] = [];
  const configuration = readConfiguration(service, problems);
  const database = configuration && (await diagnoseDatabase(context, { service, full, problems }));
  const diagnosis: Diagnosis = {
    ok: problems.length === 0,
    problems,
    warnings: findNearVariables(service.environment).map(describeNearVariable),
    place: runtimeKind,
    versions: { service: VERSION, node: process.versions.node },
    ...(configuration && { configuration: mask({ ...configuration, database: describeDatabase(configuration.database) }) }),
    ...(database && { database }),
  };
  context.printText(diagnosis, diagnosisLines);
  if (diagnosis.ok) return;
  context.note(`Found wrong: ${problems.join(' ')}`);
  context.fail();
}

function readConfiguration(service: ServiceAccess, problems: string[]): Configuration | undefined {
  try {
    return service.configuration();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems.map((problem) => `${problem}.`));
    return undefined;
  }
}

function describeDatabase(location: Configuration['database']): string {
  return `${location.kind}:${describeLocation(location)}`;
}

/** Masks members named like secrets and the credentials in addresses. */
function mask(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(CREDENTIALS_IN_ADDRESS, '***');
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SECRET_NAME.test(name) ? '***' : mask(member)]));
}

interface Inspection {
  readonly service: ServiceAccess;
  readonly full: boolean;
  readonly problems: string[];
}

async function diagnoseDatabase(context: OperationsCliContext, inspection: Inspection): Promise<DatabaseDiagnosis> {
  const { service, problems } = inspection;
  const location = service.configuration().database;
  try {
    const state = await service.databaseState();
    const found = { ...state, ...(state.exists && { bytes: await databaseSize(location) }) };
    if (state.unknownMigrations.length > 0) {
      problems.push(new NewerDatabaseError(location, state).message);
    } else if (state.pendingMigrations.length > 0) {
      const what = state.exists ? 'is not up to date' : 'does not exist yet';
      problems.push(`The database ${describeLocation(location)} ${what}: start the service once or run "${cliCommand('db migrate')}".`);
    } else {
      return { ...found, ...(await diagnoseContent(context, inspection)) };
    }
    return found;
  } catch (error) {
    problems.push(toErrorLine(error));
    return { exists: false, pendingMigrations: [], unknownMigrations: [] };
  }
}

type Content = Pick<DatabaseDiagnosis, 'apiKeys' | 'clockSkewSeconds' | 'events' | 'histories'>;

async function diagnoseContent(context: OperationsCliContext, { full, problems }: Inspection): Promise<Content> {
  const database = await context.get(Database);
  for (const { name, upToDate } of await (await context.get(ProjectionStatuses)).all()) {
    if (upToDate === false) {
      problems.push(`The projection ${name} is not up to date: run "${cliCommand(`projections rebuild ${name}`)}".`);
    }
  }
  await database.probeWrite();
  if (database.fault?.kind === 'full') {
    problems.push(
      `The database cannot be written: ${printableLine(database.fault.reason)}. Make room on its disk; never delete its files.`,
    );
  }
  const { skew } = await context.get(Clock);
  if (Math.abs(skew) > TOLERATED_SKEW_MILLISECONDS) problems.push(`${describeSkew(skew)}.`);
  if (full) {
    const damage = await findFileDamage(database);
    problems.push(...(damage.length > 0 ? damage : (await verify(await context.application())).problems));
  }
  const [counted] = await database.reader.query<{ events: bigint | string; keys: bigint | string }>(
    sql`SELECT count(*) AS "events", count(CASE WHEN "type" = ${'api-key-issued'} THEN 1 END) AS "keys" FROM "events"`,
  );
  const histories = await readLaterHistories(database.reader);
  return {
    events: BigInt(counted?.events ?? 0),
    apiKeys: BigInt(counted?.keys ?? 0),
    ...(histories.length > 0 && { histories }),
    ...(database.dialect.name === 'postgres' && { clockSkewSeconds: Math.round(skew / 100) / 10 }),
  };
}

/** Has SQLite check its file; a server looks after its files itself. */
async function findFileDamage({ dialect, reader }: Database): Promise<string[]> {
  if (dialect.name !== 'sqlite') return [];
  const rows = await reader.query<{ integrity_check: string }>(raw(`PRAGMA integrity_check(${MOST_DAMAGE_NAMED})`));
  const damage = rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok');
  return damage.map((finding) => `The file is damaged: ${printableLine(finding)}. Restore a backup.`);
}

const diagnosisLines: View<Diagnosis> = ({ place: name, versions, configuration, database, problems, warnings }, terminal) => [
  ...section('Installation', generalView({ place: name, ...versions }, terminal), terminal),
  ...section('Configuration (times in milliseconds)', generalView(configuration ?? {}, terminal), terminal),
  ...section('Database', database ? databaseFields(database, terminal) : [], terminal),
  ...section('Wrong', problems.length > 0 ? problems.map(printableLine) : ['nothing'], terminal),
  ...section('Warnings', warnings.map(printableLine), terminal),
];

const databaseFields = fields<DatabaseDiagnosis>((diagnosis) => {
  const { exists, bytes: size, pendingMigrations, unknownMigrations, events, apiKeys, histories = [], clockSkewSeconds } = diagnosis;
  return {
    exists,
    size: size === undefined ? undefined : bytes(size),
    'pending migrations': pendingMigrations.join(', ') || 'none',
    'unknown migrations': unknownMigrations.join(', ') || 'none',
    'seconds this clock is ahead': clockSkewSeconds,
    events,
    'API keys': apiKeys,
    ...Object.fromEntries(histories.map((history, index) => [`history ${index + 2} of the log`, describeHistory(history)])),
  };
});

function section(title: string, lines: readonly string[], { style }: Terminal): string[] {
  return lines.length === 0 ? [] : [style('strong', title), ...lines.map((line) => `  ${line}`)];
}
