import type { INestApplicationContext } from '@nestjs/common';
import { withProgressBar } from '#libs/cli-kit';
import { Database, type SqlRunner, type Table } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { ProjectionCatalog, ProjectionRebuilder, ProjectionStatuses } from '#libs/projections';
import { verify } from '../verification.js';
import { compareLogs } from './log-comparison.js';
import { copyLog } from './log-copy.js';
import { differingTables, plainTables, replaceTables } from './plain-tables.js';
import { inspectTarget, type TransferTarget } from './target-inspection.js';

export interface TransferEnds {
  readonly source: Database;
  readonly target: TransferTarget;
  /** The application on the target, which its start brings up to date. Asked for when the target is known to be a right one. */
  readonly openTarget: () => Promise<INestApplicationContext>;
}

export interface TransferReport {
  /** Events that both sides hold. */
  readonly events: bigint;
  /** Those of them that this run has copied. */
  readonly copied: bigint;
  /** Whether both sides were equal before, so that nothing was done. */
  readonly wasEqual: boolean;
}

/**
 * Makes a database equal to the source: the log as it is stored, the plain tables, and projections built from it. It holds the source's
 * write lock to the end, so both sides stand still. After an interruption it goes on where the target's log ends.
 * @throws ApplicationError `invalid_parameter` when the target holds anything but a beginning of the source's log; it is untouched then.
 */
export async function transfer({ source, target: inspected, openTarget }: TransferEnds): Promise<TransferReport> {
  return source.write(async (held) => {
    const tables = await plainTables(held);
    const { outcome, equalEvents, equalUpTo } = await withProgressBar('comparing', (onProgress) =>
      inspectTarget(inspected, held, onProgress),
    );
    const application = await openTarget();
    const target = application.get(Database, { strict: false });
    if (outcome === 'equal' && (await isFinished(held, application, tables))) return { events: equalEvents, copied: 0n, wasEqual: true };
    const copied = await withProgressBar('copying', (onProgress) => copyLog(held, target, equalUpTo, onProgress));
    await rebuildProjections(application);
    await replaceTables(held, target, tables);
    await requireEqual(held, application, tables);
    return { events: equalEvents + copied, copied, wasEqual: false };
  });
}

/** Whether a transfer of this log had come to its end: the tables come last. */
async function isFinished(source: SqlRunner, application: INestApplicationContext, tables: readonly Table[]): Promise<boolean> {
  const statuses = await application.get(ProjectionStatuses, { strict: false }).all();
  if (statuses.some(({ upToDate }) => upToDate === false)) return false;
  return (await differingTables(source, application.get(Database, { strict: false }).reader, tables)).length === 0;
}

async function rebuildProjections(application: INestApplicationContext): Promise<void> {
  const rebuilder = application.get(ProjectionRebuilder, { strict: false });
  for (const { name } of application.get(ProjectionCatalog, { strict: false }).all()) {
    await withProgressBar(`building ${name}`, (onProgress) => rebuilder.rebuild(name, onProgress));
  }
}

/** @throws ApplicationError `internal_error` that says what is not equal. */
async function requireEqual(source: SqlRunner, application: INestApplicationContext, tables: readonly Table[]): Promise<void> {
  const target = application.get(Database, { strict: false });
  const { outcome, equalUpTo } = await withProgressBar('comparing', (onProgress) => compareLogs(target.reader, source, onProgress));
  const problems = [
    ...(outcome === 'equal' ? [] : [`the logs differ after position ${equalUpTo}`]),
    ...(await differingTables(source, target.reader, tables)).map((table) => `table ${table} differs`),
    ...(await verify(application)).problems,
  ];
  if (problems.length === 0) return;
  throw new ApplicationError('internal_error', `The target is not as it should be, do not use it: ${problems.join('; ')}.`);
}
