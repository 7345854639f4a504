import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { Logger } from '@nestjs/common';
import { systemTimers } from '#libs/observability';

const DELAY_AFTER_START_MILLISECONDS = 2_000;

/** Prints `ok` or the first damage. */
const SCRIPT = `
const [driver, file] = process.argv.slice(1);
const Connection = require(driver);
let finding;
try {
  finding = new Connection(file, { readonly: true, fileMustExist: true }).pragma('quick_check(1)', { simple: true });
} catch (error) {
  if (!/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) throw error;
  finding = error.message;
}
process.stdout.write(String(finding));
`;

/**
 * Reads the whole database file once, soon after a start. In a process of its own: it takes seconds for millions of events, in which
 * SQLite blocks the thread, and a worker thread could not be ended meanwhile.
 * @param signal ends it
 * @param onDamage called with the finding if the file is damaged
 */
export async function checkFileSoon(path: string, signal: AbortSignal, onDamage: (finding: string) => void): Promise<void> {
  await systemTimers.sleep(DELAY_AFTER_START_MILLISECONDS, { signal, ref: false });
  if (signal.aborted) return;
  const driver = createRequire(import.meta.url).resolve('better-sqlite3');
  const options = { env: {}, signal, killSignal: 'SIGKILL' } as const;
  const child = execFile(process.execPath, ['--eval', SCRIPT, driver, path], options, (error, finding) => {
    if (signal.aborted) return;
    if (error) new Logger('Database').warn(`The database file could not be checked: ${error.message}`);
    else if (finding !== 'ok') onDamage(finding);
  });
  child.unref();
}
