import { Logger } from '@nestjs/common';

/** What is wrong with a database though it answers. `corrupt`: what it answers may be wrong. `full`: it cannot be written. */
export interface DatabaseFault {
  readonly kind: 'corrupt' | 'full';
  readonly reason: string;
}

const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB)/;
/** SQLite's codes of a disk without room and of a file that may not grow, and PostgreSQL's SQLSTATE `disk_full`. */
const FULL = /^(?:SQLITE_FULL|SQLITE_IOERR_WRITE|53100)/;

/** Remembers what is wrong with a database: damage for as long as the process runs, a full disk until something was written. */
export class DatabaseFaults {
  private readonly logger = new Logger('Database');
  private found: DatabaseFault | undefined;

  get current(): DatabaseFault | undefined {
    return this.found;
  }

  /** A statement or a write has failed with this error. */
  noteFailure(error: unknown): void {
    const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const code = String(typeof cause === 'object' && cause !== null ? Reflect.get(cause, 'code') : '');
    const reason = cause instanceof Error ? cause.message : String(cause);
    if (CORRUPT.test(code)) this.noteCorruption(reason);
    else if (FULL.test(code) && !this.found) this.found = { kind: 'full', reason: `there is no room to write: ${reason}` };
  }

  noteWrite(): void {
    if (this.found?.kind === 'full') this.found = undefined;
  }

  noteCorruption(finding: string): void {
    if (this.found?.kind === 'corrupt') return;
    const reason = `database corrupt: ${finding}`;
    this.found = { kind: 'corrupt', reason };
    this.logger.error(`${reason}. Restore a backup: what is read from it may be wrong.`);
  }
}
