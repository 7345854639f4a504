import { stat } from 'node:fs/promises';
import { Database, inspectDatabase, raw, sql, type DatabaseLocation } from '#libs/database';
import { EventStore } from '#libs/event-store';
import { ProjectionRebuilder } from '#libs/projections';
import { ConfigurationError, type Configuration } from '../config/index.js';
import { migrations } from '../migrations.js';
import type { ApplicationCliContext } from './application-cli-context.js';
import { inspectInstallation } from './installation.js';
import { verify } from './verification.js';
import { withoutSecrets } from './without-secrets.js';

export interface DatabaseDiagnosis {
  readonly location: string;
  readonly exists: boolean;
  /** Size of its files; undefined where there is none. */
  readonly bytes?: number;
  readonly pendingMigrations: readonly string[];
  readonly events?: bigint;
  readonly apiKeys?: bigint;
}

/** What `doctor` found out. */
export interface Diagnosis {
  readonly ok: boolean;
  readonly problems: readonly string[];
  /** What to do now, one step each. */
  readonly next: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  /** undefined when it has mistakes. */
  readonly configuration?: object;
  readonly database?: DatabaseDiagnosis;
}

interface Findings {
  readonly problems: string[];
  readonly next: string[];
}

/** Looks at everything the service needs without creating a database. `full` also reads the whole database. */
export async function diagnose(context: ApplicationCliContext, { full }: { readonly full: boolean }): Promise<Diagnosis> {
  const { versions, problems: installationProblems } = inspectInstallation(process.versions.node);
  const findings: Findings = { problems: [...installationProblems], next: [] };
  const configuration = readConfiguration(context, findings);
  const database = configuration && (await diagnoseDatabase(context, configuration, { full, findings }));
  if (findings.next.length === 0 && findings.problems.length === 0) findings.next.push('Nothing is wrong: "npm start" serves it.');
  return {
    ok: findings.problems.length === 0,
    ...findings,
    versions,
    ...(configuration && { configuration: withoutSecrets({ ...configuration, database: urlOf(configuration.database) }) }),
    ...(database && { database }),
  };
}

function readConfiguration(context: ApplicationCliContext, { problems, next }: Findings): Configuration | undefined {
  try {
    return context.configuration();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
    next.push('Put the variables right; .env.example lists them all.');
    return undefined;
  }
}

async function diagnoseDatabase(
  context: ApplicationCliContext,
  { database: location }: Configuration,
  { full, findings }: { readonly full: boolean; readonly findings: Findings },
): Promise<DatabaseDiagnosis> {
  const looked = { location: urlOf(location), exists: false, pendingMigrations: [] as readonly string[] };
  try {
    const state = await inspectDatabase(location, migrations);
    if (state.pendingMigrations.length > 0) {
      findings.problems.push(`The database ${location.path} ${state.exists ? 'is not up to date' : 'does not exist yet'}.`);
      findings.next.push('Run "npm start", which brings the database up to date and serves, or "npm run cli -- db migrate".');
      return { ...looked, ...state, ...(state.exists && { bytes: await sizeOf(location) }) };
    }
    return { ...looked, ...state, bytes: await sizeOf(location), ...(await diagnoseContent(context, { full, findings })) };
  } catch (error) {
    findings.problems.push(`The database ${location.path} cannot be used: ${reasonOf(error)}.`);
    findings.next.push('Check that the file is a database of this service and may be read and written, or restore a backup.');
    return looked;
  }
}

async function diagnoseContent(
  context: ApplicationCliContext,
  { full, findings }: { readonly full: boolean; readonly findings: Findings },
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

function urlOf({ kind, path }: DatabaseLocation): string {
  return `${kind}:${path}`;
}

function reasonOf(error: unknown): string {
  const known = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return known instanceof Error ? known.message : String(known);
}
