import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAtEnd } from './close-at-end.js';

/** An empty folder, which is removed with what is in it when the running test is over, or the file if no test runs. */
export function makeTemporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `adoption-${name}-`));
  closeAtEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
