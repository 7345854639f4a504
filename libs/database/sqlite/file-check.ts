import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { systemTimers } from '#libs/observability';
import { connectionOptions, sqliteCode } from './sqlite-connection.js';

/**
 * Opens a database file to write, without reading rows. SQLite opens a read-only file, and even begins a transaction on it, without an error:
 * only a write fails.
 * @throws Error of SQLite if the file cannot be written, is cut off or is no database
 */
export async function assertUsableFile(path: string): Promise<void> {
  const source = await new DataSource(connectionOptions(path, 'cli', 'write')).initialize();
  try {
    await source.query('BEGIN IMMEDIATE');
    await source.query('PRAGMA user_version = 1');
  } catch (error) {
    // Another process that writes just now has shown that the file can be written.
    if (!sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw error;
  } finally {
    // Which rolls back.
    await source.destroy();
  }
}

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
