import { readFile } from 'node:fs/promises';

// Linux counts in hundredths of a second.
const TICKS_PER_SECOND = 100;
// `utime` and `stime` of `/proc/PID/stat`, counted from behind the name in parentheses.
const [USER, SYSTEM] = [11, 12];

/** The processor time that a process has used, all its threads together, in seconds. */
export async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_SECOND;
}
