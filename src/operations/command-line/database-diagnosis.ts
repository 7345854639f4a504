import { Clock, TOLERATED_SKEW_MILLISECONDS } from '#libs/clock';
import {
  Database,
  databaseSize,
  describeLocation,
  describeSkew,
  NewerDatabaseError,
  raw,
  sql,
  type DatabaseLocation,
  type DatabaseState,
} from '#libs/database';
import { printableLine } from '#libs/cli-kit';
import { readLaterHistories, type LaterHistory } from '#libs/event-store';
import { place } from '#libs/place';
import { ProjectionStatuses } from '#libs/projections';
import type { OperationsCliContext } from './operations-cli-context.js';
import { failureLine } from './failure-line.js';
import { verify } from './verification.js';

const MOST_DAMAGE_NAMED = 5;

/** What was found wrong and what to do about it, one sentence each. */
export interface Findings {
  readonly problems: string[];
  readonly next: string[];
}

export interface DatabaseDiagnosis {
  readonly exists: boolean;
  /** Size of its files; undefined where there is none. */
  readonly bytes?: number;
  readonly pendingMigrations: readonly string[];
  readonly unknownMigrations: readonly string[];
  readonly events?: bigint;
  readonly apiKeys?: bigint;
  /** Seconds by which this machine's clock is ahead of the server's; undefined for a file. */
  readonly clockSkewSeconds?: number;
  /** Those of the log that began after a failover or a restore. */
  readonly histories?: readonly LaterHistory[];
}

interface DatabaseInspection {
  /** Whether to read the whole database. */
  readonly full: boolean;
  readonly findings: Findings;
}

/** Looks at the database of the configuration; never creates it. What is wrong goes to the findings. */
export async function diagnoseDatabase(context: OperationsCliContext, inspection: DatabaseInspection): Promise<DatabaseDiagnosis> {
  const location = context.configuration().database;
  const { problems, next } = inspection.findings;
  try {
    const state = await context.databaseState();
    const size = state.exists ? { bytes: await databaseSize(location) } : {};
    const obstacle = obstacleOf(location, state);
    if (!obstacle) return { ...state, ...size, ...(await diagnoseContent(context, inspection)) };
    problems.push(obstacle.problem);
    next.push(obstacle.next);
    return { ...state, ...size };
  } catch (error) {
    problems.push(failureLine(error));
    next.push('Check that the file is a database of this service and may be read and written, or restore a backup.');
    return { exists: false, pendingMigrations: [], unknownMigrations: [] };
  }
}

/** Why the content cannot be looked at, and what to do; undefined when it can. */
function obstacleOf(location: DatabaseLocation, state: DatabaseState): { readonly problem: string; readonly next: string } | undefined {
  if (state.unknownMigrations.length > 0) {
    return {
      problem: new NewerDatabaseError(location, state).message,
      next: 'Run the newer build, or restore a backup from before it was first started.',
    };
  }
  if (state.pendingMigrations.length === 0) return undefined;
  return {
    problem: `The database ${describeLocation(location)} ${state.exists ? 'is not up to date' : 'does not exist yet'}.`,
    next: `${place.start}, which brings the database up to date and serves, or run "${place.command('db migrate')}".`,
  };
}

async function diagnoseContent(
  context: OperationsCliContext,
  { full, findings }: DatabaseInspection,
): Promise<Pick<DatabaseDiagnosis, 'events' | 'apiKeys' | 'clockSkewSeconds' | 'histories'>> {
  const application = await context.application();
  const database = application.get(Database, { strict: false });
  const outdated = (await application.get(ProjectionStatuses, { strict: false }).all()).filter(({ upToDate }) => upToDate === false);
  for (const { name } of outdated) {
    findings.problems.push(`The projection ${name} is not up to date.`);
    findings.next.push(`Run "${place.command(`projections rebuild ${name}`)}".`);
  }
  await database.tryToWrite();
  if (database.fault?.kind === 'full') {
    findings.problems.push(`The database cannot be written: ${printableLine(database.fault.reason)}.`);
    findings.next.push('Make room on the disk of the database. Never delete files of the database.');
  }
  const { skew } = application.get(Clock, { strict: false });
  if (Math.abs(skew) > TOLERATED_SKEW_MILLISECONDS) {
    findings.problems.push(`${describeSkew(skew)}.`);
    findings.next.push('Set the clocks of this machine and of the database right, for example by NTP.');
  }
  if (full) await inspectFully(context, findings);
  const [keys] = await database.reader.query<{ count: bigint | string }>(
    sql`SELECT count(*) AS "count" FROM "events" WHERE "type" = ${'api-key-issued'}`,
  );
  const apiKeys = BigInt(keys?.count ?? 0);
  if (apiKeys === 0n) findings.next.push(`Create an API key: "${place.command('keys create --name NAME')}".`);
  const [counted] = await database.reader.query<{ count: bigint | string }>(sql`SELECT count(*) AS "count" FROM "events"`);
  const histories = await readLaterHistories(database.reader);
  return {
    events: BigInt(counted?.count ?? 0),
    apiKeys,
    ...(histories.length > 0 && { histories }),
    ...(database.dialect.name === 'postgres' && { clockSkewSeconds: Math.round(skew / 100) / 10 }),
  };
}

async function inspectFully(context: OperationsCliContext, { problems, next }: Findings): Promise<void> {
  const application = await context.application();
  const damage = await findFileDamage(application.get(Database, { strict: false }));
  problems.push(...damage);
  if (damage.length > 0) {
    next.push('Restore a backup: what is read from a damaged file may be wrong.');
    return;
  }
  const found = (await verify(application)).problems;
  problems.push(...found);
  if (found.length > 0) next.push('Rebuild the projections, or restore a backup if the log itself is at fault.');
}

/** What SQLite finds wrong in its file, one line each; a server looks after its files itself. */
async function findFileDamage({ dialect, reader }: Database): Promise<string[]> {
  if (dialect.name !== 'sqlite') return [];
  const rows = await reader.query<{ integrity_check: string }>(raw(`PRAGMA integrity_check(${MOST_DAMAGE_NAMED})`));
  return rows
    .map((row) => row.integrity_check)
    .filter((finding) => finding !== 'ok')
    .map((finding) => `The file is damaged: ${printableLine(finding)}`);
}
