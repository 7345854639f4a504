import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where Debian has programs for administrators, which is not on the PATH of every user. */
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Returns the path of a program, or its name if it is not found, so that starting it says what is missing. */
export function locateProgram(name: string): string {
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...FURTHER_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? name;
}

/** Describes tests that start a program of Debian. In CI they fail if it is missing; elsewhere they are skipped, with a message. */
export function describeWith(program: string): typeof describe {
  if (locateProgram(program) !== program || process.env['CI']) return describe;
  process.stderr.write(`No ${program}: its tests are skipped, and fail in CI.\n`);
  return describe.skip;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
