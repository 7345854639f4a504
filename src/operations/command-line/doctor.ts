import { bytes, fields, generalView, type Terminal, type View } from '#libs/cli';
import { printableLine, Clock, TOLERATED_SKEW_MILLISECONDS, cliCommand, runtimeKind } from '#libs/observability';
import { Database, databaseSize, describeLocation, describeSkew, raw, sql, type DatabaseState } from '#libs/database';
import { readLaterHistories, type LaterHistory, ProjectionStatuses } from '#libs/event-sourcing';
import { ConfigurationError, describeNearVariable, findNearVariables, VERSION, type Configuration } from '../../config/index.js';
import { toErrorLine, type OperationsCliContext } from './service-access.js';
import { historyCells, verify } from './verification.js';

const MAX_DAMAGE_NAMED = 5;
const SECRET_NAME = /password|secret|token|credential|apiKey/i;
const CREDENTIALS_IN_ADDRESS = /(?<=:\/\/)[^/@\s]*(?=@)/g;

type Diagnosis = Awaited<ReturnType<typeof diagnose>>;

interface DatabaseDiagnosis extends DatabaseState {
  /** Size of its files; undefined if there is none. */
  bytes?: number;
  events?: bigint;
  apiKeys?: bigint;
  /** Histories of the log that began after a failover or a restore, if there are any. */
  histories?: readonly LaterHistory[];
  /** Seconds by which this machine's clock is ahead of the server's; undefined for a file. */
  clockSkewSeconds?: number;
}

/** Checks everything the service needs, without creating a database, and prints it. `full` also reads the whole database. */
export async function runDoctor(context: OperationsCliContext, full: boolean): Promise<void> {
  const diagnosis = await diagnose(context, full);
  context.printText(diagnosis, diagnosisLines);
  if (diagnosis.ok) return;
  context.note(`Problems: ${diagnosis.problems.join(' ')}`);
  context.fail();
}

/** Returns the configuration without secrets, and omits it if it has mistakes. Each problem is one or two sentences with its remedy. */
async function diagnose(context: OperationsCliContext, full: boolean) {
  const service = await context.service();
  const problems: string[] = [];
  let configuration: Configuration | undefined;
  try {
    configuration = service.configuration();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems.map((problem) => `${problem}.`));
  }
  const warnings = findNearVariables(service.environment, service.modules.settings).map(describeNearVariable);
  const database = configuration && (await diagnoseDatabase(context, { full, problems, warnings }));
  return {
    ok: problems.length === 0,
    problems,
    warnings,
    place: runtimeKind,
    versions: { service: VERSION, node: process.versions.node },
    ...(configuration && { configuration: describeConfiguration(configuration) }),
    ...(database && { database }),
  };
}

/** Returns the settings of each module beside those of the core, without secrets. */
function describeConfiguration({ modules, database, ...core }: Configuration): unknown {
  return mask({ ...core, database: describeDatabase(database), ...modules });
}

function describeDatabase(location: Configuration['database']): string {
  return `${location.kind}:${describeLocation(location)}`;
}

/** Masks members named like secrets, unless nothing is set, and the credentials in addresses. */
function mask(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(CREDENTIALS_IN_ADDRESS, '***');
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, SECRET_NAME.test(name) && !isUnset(member) ? '***' : mask(member)]),
  );
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Returns the settings with a text for each of them that nothing is set for. */
function withUnset(value: unknown): unknown {
  if (isUnset(value)) return 'not set';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withUnset(member)]));
}

interface Findings {
  readonly full: boolean;
  readonly problems: string[];
  readonly warnings: string[];
}

async function diagnoseDatabase(context: OperationsCliContext, { full, problems, warnings }: Findings): Promise<DatabaseDiagnosis> {
  const found: DatabaseDiagnosis = { exists: false, pendingMigrations: [], unknownMigrations: [], movedTo: undefined };
  const service = await context.service();
  try {
    const state = await service.databaseState();
    Object.assign(found, state, state.exists && { bytes: await databaseSize(service.configuration().database) });
    service.assertUsable(state);
    problems.push(...(await findContentProblems(context, full)));
    warnings.push(...(await findMissingTextIndexes(context)));
    Object.assign(found, await countContent(await context.get(Database), await context.get(Clock)));
  } catch (error) {
    problems.push(toErrorLine(error));
  }
  return found;
}

async function findContentProblems(context: OperationsCliContext, full: boolean): Promise<string[]> {
  const database = await context.get(Database);
  const statuses = await (await context.get(ProjectionStatuses)).all();
  const outdated = statuses.filter(({ upToDate }) => upToDate === false);
  const problems = outdated.map(
    ({ name }) => `The projection ${name} is not up to date: run "${cliCommand(`projections rebuild ${name}`)}".`,
  );
  await database.probeWrite();
  if (database.fault?.kind === 'full') {
    const reason = printableLine(database.fault.reason);
    problems.push(`The database cannot be written: ${reason}. Make room on its disk; never delete its files.`);
  }
  const { skew } = await context.get(Clock);
  if (Math.abs(skew) > TOLERATED_SKEW_MILLISECONDS) problems.push(`${describeSkew(skew)}.`);
  if (!full) return problems;
  const damage = await findFileDamage(database);
  return [...problems, ...(damage.length > 0 ? damage : (await verify(await context.application())).problems)];
}

async function findMissingTextIndexes(context: OperationsCliContext): Promise<string[]> {
  const names = await (await context.get(ProjectionStatuses)).withoutTextIndex();
  return names.map(
    (name) =>
      `Parts of texts are searched in at most 100,000 rows of ${name}, since the database has no extension pg_trgm: create it with ` +
      `"CREATE EXTENSION pg_trgm" and run "${cliCommand(`projections rebuild ${name}`)}".`,
  );
}

async function countContent({ reader, dialect }: Database, { skew }: Clock): Promise<Omit<DatabaseDiagnosis, keyof DatabaseState>> {
  const [counted] = await reader.query<{ events: bigint | string; keys: bigint | string }>(
    sql`SELECT count(*) AS "events", count(CASE WHEN "type" = ${'api-key-issued'} THEN 1 END) AS "keys" FROM "events"`,
  );
  const histories = await readLaterHistories(reader);
  return {
    events: BigInt(counted?.events ?? 0),
    apiKeys: BigInt(counted?.keys ?? 0),
    ...(histories.length > 0 && { histories }),
    ...(dialect.name === 'postgres' && { clockSkewSeconds: Math.round(skew / 100) / 10 }),
  };
}

/** Lets SQLite check its file; a server checks its files itself. */
async function findFileDamage({ dialect, reader }: Database): Promise<string[]> {
  if (dialect.name !== 'sqlite') return [];
  const rows = await reader.query<{ integrity_check: string }>(raw(`PRAGMA integrity_check(${MAX_DAMAGE_NAMED})`));
  const damage = rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok');
  return damage.map((finding) => `The file is damaged: ${printableLine(finding)}. Restore a backup.`);
}

const diagnosisLines: View<Diagnosis> = ({ place: name, versions, configuration, database, problems, warnings }, terminal) => [
  ...section('Installation', generalView({ place: name, ...versions }, terminal), terminal),
  ...section('Configuration (times in milliseconds)', generalView(withUnset(configuration ?? {}), terminal), terminal),
  ...section('Database', database ? databaseFields(database, terminal) : [], terminal),
  ...section('Problems', problems.length > 0 ? problems.map(printableLine) : ['none'], terminal),
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
    ...historyCells(histories),
  };
});

function section(title: string, lines: readonly string[], { style }: Terminal): string[] {
  return lines.length === 0 ? [] : [style('strong', title), ...lines.map((line) => `  ${line}`)];
}
