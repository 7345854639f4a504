import { generalView } from '#libs/cli';
import { printableLine, Clock, TOLERATED_SKEW_MILLISECONDS, cliCommand, runtimeKind } from '#libs/observability';
import { Database, describeLocation, describeSkew, raw, sql, type DatabaseState } from '#libs/database';
import { readLaterHistories, ReadModels } from '#libs/event-sourcing';
import { ConfigurationError, describeNearVariable, findNearVariables, VERSION, type Configuration } from '../../config/index.js';
import { toErrorLine, type OperationsCliContext, type ServiceAccess } from './service-access.js';
import { historyCells, numbered, verify } from './verification.js';

const MAX_DAMAGE_NAMED = 5;
const SECRET_NAME = /password|secret|token|credential|apiKey/i;
const CREDENTIALS_IN_ADDRESS = /(?<=:\/\/)[^/@\s]*(?=@)/g;

type DatabaseDiagnosis = Partial<DatabaseState & Awaited<ReturnType<typeof readFigures>>>;

/** Checks everything the service needs, without creating a database, and prints it. `full` also reads the whole database. */
export async function runDoctor(context: OperationsCliContext, full: boolean): Promise<void> {
  const service = await context.service();
  const warnings = findNearVariables(service.environment, service.modules.settings).map(describeNearVariable);
  const problems: string[] = [];
  // One or two sentences each, with the remedy.
  const findings = { problems, warnings };
  const installation = { place: runtimeKind, versions: { service: VERSION, node: process.versions.node } };
  const configuration = readConfiguration(service, problems);
  const { histories, ...database } = configuration ? await diagnoseDatabase(context, full, findings) : {};
  const checked = { ...installation, ...(configuration && { configuration: describeConfiguration(configuration) }) };
  const diagnosis = { ok: problems.length === 0, ...findings, ...checked, ...(configuration && { database: { ...database, histories } }) };
  context.printText(diagnosis, ({ ok }, terminal) => {
    const cells = { database: { ...database, ...historyCells(histories ?? []) }, ok };
    return generalView({ ...checked, ...cells, ...numbered('problem', problems), ...numbered('warning', warnings) }, terminal);
  });
  if (diagnosis.ok) return;
  context.note(`Problems: ${problems.join(' ')}`);
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

/** Returns the settings of the core and of each module, without secrets and the credentials in addresses. Times are in milliseconds. */
function describeConfiguration({ modules, database, ...core }: Configuration): object {
  const settings = { ...core, database: `${database.kind}:${describeLocation(database)}`, ...modules };
  const replace = (name: string, value: unknown): unknown => {
    if (value && SECRET_NAME.test(name)) return '***';
    return typeof value === 'string' ? value.replace(CREDENTIALS_IN_ADDRESS, '***') : value;
  };
  return JSON.parse(JSON.stringify(settings, replace)) as object;
}

async function diagnoseDatabase(
  context: OperationsCliContext,
  full: boolean,
  { problems, warnings }: Record<'problems' | 'warnings', string[]>,
): Promise<DatabaseDiagnosis> {
  const found: DatabaseDiagnosis = { exists: false };
  const service = await context.service();
  try {
    const state = await service.databaseState();
    Object.assign(found, state);
    service.assertUsable(state);
    const [database, clock, readModels] = [await context.get(Database), await context.get(Clock), await context.get(ReadModels)];
    for (const { name, upToDate } of await readModels.statuses()) {
      if (upToDate === false) problems.push(`The projection ${name} is not up to date: ${adviseRebuild(name)}.`);
    }
    for (const name of await readModels.withoutTextIndex()) {
      warnings.push(
        `Parts of texts are searched in at most 100,000 rows of ${name}, since the database has no extension pg_trgm: create it with ` +
          `"CREATE EXTENSION pg_trgm" and ${adviseRebuild(name)}.`,
      );
    }
    await database.probeWrite();
    if (database.fault?.kind === 'full') {
      const reason = printableLine(database.fault.reason);
      problems.push(`The database cannot be written: ${reason}. Make room on its disk; never delete its files.`);
    }
    if (Math.abs(clock.skew) > TOLERATED_SKEW_MILLISECONDS) problems.push(`${describeSkew(clock.skew)}.`);
    if (full) {
      const damage = await findFileDamage(database);
      problems.push(...(damage.length > 0 ? damage : (await verify(await context.application())).problems));
    }
    Object.assign(found, await readFigures(database, clock));
  } catch (error) {
    problems.push(toErrorLine(error));
  }
  return found;
}

function adviseRebuild(projection: string): string {
  return `run "${cliCommand(`projections rebuild ${projection}`)}"`;
}

/** Returns the bytes without the write-ahead log, and the seconds by which this machine's clock is ahead of the server's. */
async function readFigures({ reader, dialect }: Database, { skew }: Clock) {
  const [counted] = await reader.query<{ events: bigint | string }>(sql`SELECT count(*) AS "events" FROM "events"`);
  const histories = await readLaterHistories(reader);
  const { bytes: size } = await dialect.storageSize((statement) => reader.query(statement));
  return {
    bytes: size,
    events: BigInt(counted?.events ?? 0),
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
