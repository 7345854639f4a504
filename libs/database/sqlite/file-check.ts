import { execFile, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { Logger } from '@nestjs/common';

// A start has better things to do.
const DELAY_MILLISECONDS = 2_000;

/** Prints `ok` or the first thing that is wrong. */
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
 * Reads a database file as a whole once, soon after a start. In a process of its own: it takes seconds for millions of events, in which
 * SQLite lets nothing else of a process run, and a thread could not be ended meanwhile.
 */
export class FileCheck {
  private readonly timer: NodeJS.Timeout;
  private child: ChildProcess | undefined;

  /** @param onDamage is called with what is wrong, if anything is */
  constructor(path: string, onDamage: (finding: string) => void) {
    this.timer = setTimeout(() => this.start(path, onDamage), DELAY_MILLISECONDS).unref();
  }

  end(): void {
    clearTimeout(this.timer);
    this.child?.kill('SIGKILL');
  }

  private start(path: string, onDamage: (finding: string) => void): void {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3');
    const child = execFile(process.execPath, ['--eval', SCRIPT, driver, path], { env: {} }, (error, finding) => {
      if (child.killed) return;
      if (error) new Logger('Database').warn(`The database file could not be checked: ${error.message}`);
      else if (finding !== 'ok') onDamage(finding);
    });
    this.child = child;
    child.unref();
  }
}
