import type { INestApplicationContext } from '@nestjs/common';
import { ProgressBar } from '#libs/cli-kit';
import { Database } from '#libs/database';
import { EventStore } from '#libs/event-store';
import { ProjectionVerification } from '#libs/projections';
import { verifyLog, type LogReport } from './log-verification.js';

/** Checks the log and that the projections equal a replay of it. Shows a progress bar. */
export async function verify(application: INestApplicationContext): Promise<LogReport> {
  const log = await verifyLog(application.get(Database, { strict: false }), application.get(EventStore, { strict: false }));
  const bar = new ProgressBar('replaying');
  try {
    const differences = await application.get(ProjectionVerification, { strict: false }).verify((done, total) => {
      bar.update(done, total);
    });
    return { ...log, problems: [...log.problems, ...differences] };
  } finally {
    bar.clear();
  }
}
