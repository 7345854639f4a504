import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { cliCommand, StartupError } from '#libs/observability';

/**
 * Returns the one name of a database file that a service may serve. With `creates` it makes an empty file if there is none.
 * @throws StartupError that says what is in the way: a missing file, or a name that leads others to other side files than this one. SQLite keeps
 *   acknowledged writes in side files that it finds by the name (https://www.sqlite.org/howtocorrupt.html, 2.5)
 */
export function resolveDatabaseFile(path: string, { creates }: { readonly creates: boolean }): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && !creates) {
    throw new StartupError(
      `there is no database at ${path}. Mount the disk that has it; for a new database run "${cliCommand('db migrate')}" once (only in ` +
        'development does a start make one)',
    );
  }
  mkdirSync(dirname(path), { recursive: true });
  // A file that exists is not opened: closing it would end the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a'));
  const file = realpathSync(path);
  assertOneName(file);
  return file;
}

/** @throws StartupError if the file has a second name, or is mounted without its folder. */
function assertOneName(file: string): void {
  const { dev, nlink } = statSync(file);
  if (dev !== statSync(dirname(file)).dev) {
    throw new StartupError(
      `${file} is mounted without its folder, in which SQLite keeps acknowledged writes too: mount the folder instead`,
    );
  }
  if (nlink > 1) {
    throw new StartupError(`${file} has ${nlink} names (hard links), under each of which other writes would be kept: leave only this one`);
  }
}

/** The files of an open database, to be compared with what their names lead to later. */
export class OpenDatabaseFile {
  private readonly opened: ReadonlyMap<string, string | undefined>;

  /** @param path the file of a connection that has read from it, after which its write-ahead log exists */
  constructor(path: string) {
    this.opened = new Map([path, `${path}-wal`].map((file) => [file, identify(file)]));
  }

  /** Returns why a restart would not find what is written now, undefined if it would. Takes two system calls, some microseconds. */
  findProblem(): string | undefined {
    for (const [file, identity] of this.opened) {
      const found = identify(file);
      if (found === identity) continue;
      const change = found === undefined ? 'removed or moved' : 'replaced';
      return `${file} was ${change} while the service uses it, so what is written would be lost: put it back, or restart the service`;
    }
    return undefined;
  }
}

/** Device and inode tell a file from every other one, whatever names it has. */
function identify(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
