import type { INestApplicationContext } from '@nestjs/common';
import { withProgressBar } from '#libs/cli-kit';
import { Database } from '#libs/database';
import { EventStore } from '#libs/event-store';
import { ProjectionVerification } from '#libs/projections';
import { verifyLog, type LogReport } from './log-verification.js';

/** Checks the log and that the projections equal a replay of it. Shows a progress bar. */
export async function verify(application: INestApplicationContext): Promise<LogReport> {
  const log = await verifyLog(application.get(Database, { strict: false }), application.get(EventStore, { strict: false }));
  const differences = await withProgressBar('replaying', (onProgress) =>
    application.get(ProjectionVerification, { strict: false }).verify(onProgress),
  );
  return { ...log, problems: [...log.problems, ...differences] };
}
