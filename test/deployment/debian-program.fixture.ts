import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where Debian has programs for administrators, which is not on the PATH of every user. */
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** Returns the path of a program, or its name if it is not found, so that starting it says what is missing. */
export function locateProgram(name: string): string {
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...FURTHER_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? name;
}

/** Describes tests that start programs of Debian. In CI they fail if one is missing; elsewhere they are skipped, with a message. */
export function describeWith(...programs: readonly string[]): typeof describe {
  const missing = programs.filter((program) => locateProgram(program) === program);
  if (missing.length === 0 || process.env['CI']) return describe;
  process.stderr.write(`No ${missing.join(', ')}: its tests are skipped, and fail in CI.\n`);
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
