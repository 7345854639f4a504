import { readFileSync } from 'node:fs';

/** Returns how many files and connections this process may have open at once (`ulimit -n`); infinite where the system does not tell. */
export function readDescriptorLimit(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
