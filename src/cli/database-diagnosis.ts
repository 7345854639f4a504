import { stat } from 'node:fs/promises';
import { Database, raw, sql, type DatabaseLocation } from '#libs/database';
import { EventStore } from '#libs/event-store';
import { ProjectionRebuilder } from '#libs/projections';
import type { ApplicationCliContext } from './application-cli-context.js';
import { failureLine } from './failure-line.js';
import type { Findings } from './findings.js';
import { verify } from './verification.js';

export interface DatabaseDiagnosis {
  readonly exists: boolean;
  /** Size of its files; undefined where there is none. */
  readonly bytes?: number;
  readonly pendingMigrations: readonly string[];
  readonly events?: bigint;
  readonly apiKeys?: bigint;
}

interface DatabaseInspection {
  /** Whether to read the whole database. */
  readonly full: boolean;
  readonly findings: Findings;
}

/** Looks at the database of the configuration; never creates it. What is wrong goes to the findings. */
export async function diagnoseDatabase(context: ApplicationCliContext, inspection: DatabaseInspection): Promise<DatabaseDiagnosis> {
  const location = context.configuration().database;
  const { problems, next } = inspection.findings;
  try {
    const state = await context.databaseState();
    const size = state.exists ? { bytes: await sizeOf(location) } : {};
    if (state.pendingMigrations.length === 0) return { ...state, ...size, ...(await diagnoseContent(context, inspection)) };
    problems.push(`The database ${location.path} ${state.exists ? 'is not up to date' : 'does not exist yet'}.`);
    next.push('Run "npm start", which brings the database up to date and serves, or "npm run cli -- db migrate".');
    return { ...state, ...size };
  } catch (error) {
    problems.push(failureLine(error));
    next.push('Check that the file is a database of this service and may be read and written, or restore a backup.');
    return { exists: false, pendingMigrations: [] };
  }
}

async function diagnoseContent(
  context: ApplicationCliContext,
  { full, findings }: DatabaseInspection,
): Promise<{ readonly events: bigint; readonly apiKeys: bigint }> {
  const application = await context.application();
  const database = application.get(Database, { strict: false });
  const outdated = (await application.get(ProjectionRebuilder, { strict: false }).status()).filter(({ upToDate }) => !upToDate);
  for (const { name } of outdated) {
    findings.problems.push(`The projection ${name} is not up to date.`);
    findings.next.push(`Run "npm run cli -- projections rebuild ${name}".`);
  }
  if (full) await inspectFully(context, findings);
  const [keys] = await database.reader.query<{ count: bigint | string }>(
    sql`SELECT count(*) AS "count" FROM "events" WHERE "type" = ${'api-key-issued'}`,
  );
  const apiKeys = BigInt(keys?.count ?? 0);
  if (apiKeys === 0n) findings.next.push('Create an API key: "npm run cli -- keys create --name NAME".');
  return { events: await application.get(EventStore, { strict: false }).lastPosition(), apiKeys };
}

async function inspectFully(context: ApplicationCliContext, { problems, next }: Findings): Promise<void> {
  const application = await context.application();
  const database = application.get(Database, { strict: false });
  const before = problems.length;
  if (database.dialect.name === 'sqlite') {
    const rows = await database.reader.query<{ integrity_check: string }>(raw('PRAGMA integrity_check'));
    problems.push(...rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok'));
  }
  problems.push(...(await verify(application)).problems);
  if (problems.length > before) next.push('Rebuild the projections, or restore a backup if the log itself is at fault.');
}

/** The database's files on disk, in bytes. */
async function sizeOf({ path }: DatabaseLocation): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
