import { readFile } from 'node:fs/promises';

const TICKS_IN_A_SECOND = 100;

/** Seconds of processor time that a process has taken, in user and kernel mode; NaN where the system does not tell. */
export async function processorSeconds(pid) {
  const fields = await statOf(pid);
  return fields ? (Number(fields[11]) + Number(fields[12])) / TICKS_IN_A_SECOND : Number.NaN;
}

/** The same of all processes that this one has started and that have ended. */
export async function processorSecondsOfEnded() {
  const fields = await statOf('self');
  return fields ? (Number(fields[13]) + Number(fields[14])) / TICKS_IN_A_SECOND : Number.NaN;
}

/** Resident memory of a process in megabytes (1,000,000 bytes), now and at its highest; NaN where the system does not tell. */
export async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const megabytes = (name) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) * 1_024) / 1e6;
  return { now: megabytes('VmRSS'), highest: megabytes('VmHWM') };
}

/** The fields of `/proc/PID/stat` (proc(5)) from the state on; the name before it may hold spaces. */
async function statOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}
