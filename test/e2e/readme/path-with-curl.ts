import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from './readme-text.js';

/** The PATH, with a stand-in for curl in the folder where the machine has none. */
export function pathWithCurl(folder: string): string {
  const path = process.env['PATH'] ?? '';
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return path;
  } catch {
    const standIn = join(projectRoot, 'test', 'e2e', 'readme', 'curl.mjs');
    writeFileSync(join(folder, 'curl'), `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`, { mode: 0o755 });
    return [folder, path].join(delimiter);
  }
}
