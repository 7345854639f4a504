import { existsSync, readdirSync } from 'node:fs';
import { notRun } from './not-run.js';

const LIBRARIES = '/usr/lib';

/** The variables with which a program is told another time than that of the machine; timers and the monotonic clock stay right. */
export function falseClock(offset: string): Readonly<Record<string, string>> {
  return { LD_PRELOAD: library ?? '', FAKETIME: offset, DONT_FAKE_MONOTONIC: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

/** `describe` where Debian's package `faketime` is installed. Elsewhere it is said what is not run, and in CI it fails. */
export const describeWithFalseClocks = (name: string, tests: () => void): void => {
  if (library !== undefined) {
    describe(name, tests);
    return;
  }
  notRun(name, 'libfaketime is not installed');
  describe.skip(name, tests);
};

const library = readdirSync(LIBRARIES)
  .map((folder) => `${LIBRARIES}/${folder}/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));
