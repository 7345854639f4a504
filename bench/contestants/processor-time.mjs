import { readFile } from 'node:fs/promises';

const TICKS_IN_A_SECOND = 100;

/** Seconds of processor time that a process has taken, in user and kernel mode; NaN where the system does not tell. */
export async function processorSeconds(pid) {
  const fields = await statOf(pid);
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS_IN_A_SECOND : Number.NaN;
}

/** Resident memory of a process in megabytes (1,000,000 bytes); NaN where the system does not tell. */
export async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1_024) / 1e6;
}

/** The fields of `/proc/PID/stat` (proc(5)) from the state on; the name before it may hold spaces. */
async function statOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}
