import { readFile } from 'node:fs/promises';

const NANOSECONDS = 1e9;

/** Seconds for which the main thread of a process, on which its JavaScript runs, has had a processor; to the nanosecond. */
export async function processorSeconds(pid: number): Promise<number> {
  const [nanoseconds] = (await readFile(`/proc/${pid}/task/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(nanoseconds) / NANOSECONDS;
}
